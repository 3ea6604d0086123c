// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/two_step.h"

namespace nbrhood {

// Messages of different sources do not wait for a gather, so all members may relay.
std::size_t TwoSteps::relays(const RegionEdges &edges, const Tuning &) const
{
    return edges.members().size();
}

// A relay that is not a destination needs one more message.
std::set<Rank> TwoSteps::best_receivers(const std::vector<Crossing> &crossings) const
{
    std::set<Rank> ends;
    for (const Crossing &crossing : crossings) {
        ends.insert(crossing.inside);
    }
    return ends;
}

} // namespace nbrhood
