// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/two_step.h"

namespace nbrhood {

// There is a message for each source, and nothing to wait for.
std::size_t TwoSteps::relays(const RegionEdges &edges, const Tuning &) const
{
    return edges.members().size();
}

// A relay that is not itself a destination needs one more message.
std::set<Rank> TwoSteps::best_receivers(const std::vector<Crossing> &crossings) const
{
    std::set<Rank> ends;
    for (const Crossing &crossing : crossings) {
        ends.insert(crossing.inside);
    }
    return ends;
}

} // namespace nbrhood
