// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results of common_neighbor on a graph: its groups of friends, and the loss due to the bound on
// candidates.
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
    std::int64_t bounded =
        0; // searches that grew groups from pairs because there were too many candidates
    // Groups of k friends with enough common neighbours, the paper's hyperedges, of the searches
    // that list them.
    std::int64_t candidates = 0;
    int least_k = 0; // the k of the searches that find groups; 0: none does
    int most_k = 0;
    int steps = 0;             // the most build steps of any search
    double seconds = 0;        // the processor's time of the longest search, with the choice of k
    std::int64_t groups = 0;   // of all build steps
    std::int64_t messages = 0; // messages that all ranks send in a call
    // The same with the paper's matching among all candidates, if that can be computed.
    std::optional<std::int64_t> exact_messages;
};

// Finds the friends of all ranks of a graph: graph[r] belongs to rank r. values: the values of the
// algorithm's parameters. For tools and tests, because the paper reports the numbers of its
// hyperedges (Ghazimirsaeed, Mirsadeghi, Afsahi 2019, section VI).
FriendReport report_friends(const std::vector<Neighbourhood> &graph, const Machine &machine,
                            const ParameterValues &values);

} // namespace nbrhood
