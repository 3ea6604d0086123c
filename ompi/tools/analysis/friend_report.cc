// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/friend_report.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "algorithms/common_neighbor/common_neighbor.h"
#include "algorithms/common_neighbor/friend_operations.h"
#include "algorithms/common_neighbor/friend_search.h"

namespace nbrhood {
namespace {

// The candidates for each rank among which the paper's matching is computed: at most a second's
// work for the ranks of a node.
constexpr std::int64_t kExactCandidates = 1 << 14;

// The senders of each search: those of one region, by its number, or all.
std::map<Region, std::vector<Sender>> searches_of(const std::vector<Neighbourhood> &graph,
                                                  const Machine &machine, bool anywhere)
{
    std::map<Region, std::vector<Sender>> searches;
    for (const Neighbourhood &own : graph) {
        if (own.has_edges()) {
            searches[anywhere ? 0 : machine.region_of(own.rank)].push_back(
                NeighbourLinks(own).sender(own.rank));
        }
    }
    return searches;
}

double processor_seconds_of_thread()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void run(FriendSearch &search)
{
    WorkSlice all = WorkSlice::endless();
    search.go_on(all);
}

} // namespace

FriendReport report_friends(const std::vector<Neighbourhood> &graph, const Machine &machine,
                            const ParameterValues &values)
{
    FriendReport report;
    std::int64_t exact_messages = 0;
    bool exact = true;
    for (const auto &entry : searches_of(graph, machine, values.get(kFriendsAnywhere))) {
        FriendSearch search(entry.second, values.get(kFriendsPerGroup),
                            values.get(kFriendCandidates));
        const double begin = processor_seconds_of_thread();
        run(search);
        report.seconds = std::max(report.seconds, processor_seconds_of_thread() - begin);
        const FriendMatching &found = search.matching();
        const std::int64_t messages = count_messages(search.senders(), search.plans());
        if (!found.steps.empty()) {
            report.least_k = report.least_k == 0 ? found.k : std::min(report.least_k, found.k);
            report.most_k = std::max(report.most_k, found.k);
        }
        ++report.searches;
        report.candidates += found.candidates;
        report.steps = std::max(report.steps, static_cast<int>(found.steps.size()));
        report.bounded += found.bounded ? 1 : 0;
        report.messages += messages;
        for (const auto &step : found.steps) {
            report.groups += static_cast<std::int64_t>(step.size());
        }
        if (found.bounded && exact) {
            FriendSearch among_all(entry.second, found.k, kExactCandidates);
            run(among_all);
            exact = !among_all.matching().bounded;
            exact_messages += count_messages(among_all.senders(), among_all.plans());
        } else {
            exact_messages += messages;
        }
    }
    if (exact) {
        report.exact_messages = exact_messages;
    }
    return report;
}

} // namespace nbrhood
