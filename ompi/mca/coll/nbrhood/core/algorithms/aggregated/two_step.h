// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The rules of two_step, whose builder is that of aggregated.
#pragma once

#include "algorithms/aggregated/relay_scheme.h"

namespace nbrhood {

// Each rank sends one message to each region that it has edges to, whose receiver redistributes
// the blocks there: Bienz, Gropp, Olson, "Reducing communication in algebraic multigrid with
// multi-step node aware communication" (2020); Collom, Li, Bienz (2023), section 2.1.
class TwoSteps final : public RelayScheme {
public:
    int phases() const override { return 2; }
    Rank sender(Rank source) const override { return source; }
    std::size_t relays(const RegionEdges &edges, const Tuning &tuning) const override;
    bool takes_one_directional() const override { return false; }
    std::set<Rank> best_receivers(const std::vector<Crossing> &crossings) const override;
    bool combines_local(const Tuning &, std::size_t, std::size_t) const override { return false; }
};

} // namespace nbrhood
