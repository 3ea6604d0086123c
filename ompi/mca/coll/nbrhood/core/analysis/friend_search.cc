#include "analysis/friend_search.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "algorithms/common_neighbor.h"
#include "algorithms/friend_groups.h"
#include "algorithms/friend_operations.h"

namespace nbrhood {

FriendSearch search_friends(const std::vector<Neighbourhood> &graph, const Machine &machine,
                            const ParameterValues &values)
{
    const bool anywhere = values.get(kFriendsAnywhere);
    std::map<Region, std::vector<Sender>> matched_together;
    for (const Neighbourhood &own : graph) {
        if (own.has_edges()) {
            const NeighbourLinks links(own);
            matched_together[anywhere ? 0 : machine.region_of(own.rank)].push_back(
                {own.rank, links.receives() ? links.destinations() : std::vector<Rank>{}});
        }
    }
    const int named = values.get(kFriendsPerGroup);
    const std::int64_t most = values.get(kFriendCandidates);
    FriendSearch search;
    for (const auto &entry : matched_together) {
        const std::clock_t begin = std::clock();
        const int k = named != 0 ? named : best_group_size(entry.second, most);
        const FriendMatching matching = match_friends(entry.second, k, most);
        search.seconds = std::max(search.seconds, static_cast<double>(std::clock() - begin)
                                                      / static_cast<double>(CLOCKS_PER_SEC));
        ++search.matchings;
        search.bounded += matching.bounded ? 1 : 0;
        search.candidates += matching.candidates;
        for (const auto &groups : matching.steps) {
            search.groups += static_cast<std::int64_t>(groups.size());
        }
        search.steps = std::max(search.steps, static_cast<int>(matching.steps.size()));
        if (!matching.steps.empty()) {
            search.least_k = search.least_k == 0 ? k : std::min(search.least_k, k);
            search.most_k = std::max(search.most_k, k);
        }
    }
    return search;
}

} // namespace nbrhood
