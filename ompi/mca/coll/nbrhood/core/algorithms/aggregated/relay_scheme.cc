// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/relay_scheme.h"

#include <algorithm>

#include "algorithms/aggregated/two_step.h"

namespace nbrhood {
namespace {

// Blocks are gathered, so that one message for each pair of regions is enough.
class ThreeSteps final : public RelayScheme {
public:
    int phases() const override { return 3; }
    Rank sender(Rank) const override { return kNoRank; }

    std::size_t relays(const RegionEdges &edges, const Tuning &tuning) const override
    {
        const std::size_t messages =
            std::max(edges.crossings(outgoing).size(), edges.crossings(incoming).size());
        return relays_for(messages, tuning.ranks_per_core);
    }
    bool takes_one_directional() const override { return true; }

    // Every relay has messages to or from most members in any case.
    std::set<Rank> best_receivers(const std::vector<Crossing> &) const override { return {}; }

    bool combines_local(const Tuning &tuning, std::size_t edges, std::size_t members) const override
    {
        const int wanted = tuning.values.get(kCombineLocal);
        return wanted > 0
               || (wanted < 0 && pays_to_combine_local(edges, members, tuning.ranks_per_core));
    }
};

} // namespace

std::size_t relays_for(std::size_t messages, double ranks_per_core)
{
    constexpr std::size_t kMessagesOfARelay = 8;
    const std::size_t messages_of_a_relay = ranks_per_core > 1 ? kMessagesOfARelay : 1;
    return std::max<std::size_t>(1, (messages + messages_of_a_relay - 1) / messages_of_a_relay);
}

bool pays_to_combine_local(std::size_t edges, std::size_t members, double ranks_per_core)
{
    return ranks_per_core > 1 && edges > members;
}

const RelayScheme &RelayScheme::of(Scheme scheme)
{
    static const ThreeSteps three;
    static const TwoSteps two;
    if (scheme == kTwoStep) {
        return two;
    }
    return three;
}

} // namespace nbrhood
