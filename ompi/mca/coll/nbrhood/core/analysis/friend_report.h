// How common_neighbor fares on a graph: its groups of friends, and what it costs that the
// candidates it looks at are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/parameter.h"
#include "graph/neighbourhood.h"
#include "machine/machine.h"

namespace nbrhood {

// Over all searches: one for each region, or one for all ranks.
struct FriendReport {
    std::int64_t searches = 0;
    std::int64_t bounded = 0; // that grew groups from pairs, as there were too many candidates
    int least_k = 0;
    int most_k = 0;
    std::int64_t groups = 0;   // of all build steps
    std::int64_t messages = 0; // that all ranks send in a call
    // The same with the paper's matching among all candidates, where that can be computed.
    std::optional<std::int64_t> exact_messages;
};

// Finds the friends of all ranks of a graph: graph[r] belongs to rank r. values: of the algorithm's
// parameters. For tools and tests.
FriendReport report_friends(const std::vector<Neighbourhood> &graph, const Machine &machine,
                            const ParameterValues &values);

} // namespace nbrhood
