// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How common_neighbor fares on a graph: its groups of friends, and what it costs that the
// candidates it looks at are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/toolkit/parameter.h"
#include "graph/neighbourhood.h"
#include "machine/machine.h"

namespace nbrhood {

// Over all searches: one for each region, or one for all ranks.
struct FriendReport {
    std::int64_t searches = 0;
    std::int64_t bounded = 0; // that grew groups from pairs, as there were too many candidates
    // Groups of k friends with enough common neighbours, the paper's hyperedges, of the searches
    // that list them.
    std::int64_t candidates = 0;
    int least_k = 0; // of the searches that find groups; 0: none does
    int most_k = 0;
    int steps = 0;             // the most build steps of any search
    double seconds = 0;        // the processor's time of the longest search, with the choice of k
    std::int64_t groups = 0;   // of all build steps
    std::int64_t messages = 0; // that all ranks send in a call
    // The same with the paper's matching among all candidates, where that can be computed.
    std::optional<std::int64_t> exact_messages;
};

// Finds the friends of all ranks of a graph: graph[r] belongs to rank r. values: of the algorithm's
// parameters. For tools and tests, as the paper reports the numbers of its hyperedges
// (Ghazimirsaeed, Mirsadeghi, Afsahi 2019, section VI).
FriendReport report_friends(const std::vector<Neighbourhood> &graph, const Machine &machine,
                            const ParameterValues &values);

} // namespace nbrhood
