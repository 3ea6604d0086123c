// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Differences between three and two steps in the relaying of a region's messages.
#pragma once

#include <set>
#include <vector>

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/aggregated/region_edges.h"

namespace nbrhood {

// The rules of one scheme, for RegionRelays.
class RelayScheme {
public:
    virtual ~RelayScheme() = default;
    // The object of a scheme, without state.
    static const RelayScheme &of(Scheme scheme);

    // The number of phases of a call.
    virtual int phases() const = 0;
    // The sender of the message with the blocks of a source; kNoRank: a relay sends it, with the
    // blocks of all sources.
    virtual Rank sender(Rank source) const = 0;
    // The number of members of a component that may relay, unless the user sets it; and whether
    // members with edges in only one direction may relay although others have both.
    virtual std::size_t relays(const RegionEdges &edges, const Tuning &tuning) const = 0;
    virtual bool takes_one_directional() const = 0;
    // The members that save a message if they receive these blocks.
    virtual std::set<Rank> best_receivers(const std::vector<Crossing> &crossings) const = 0;
    // Whether the only relay of a component, with this many edges and members inside the region,
    // also combines the blocks that stay inside.
    virtual bool combines_local(const Tuning &tuning, std::size_t edges,
                                std::size_t members) const = 0;
};

// The number of relays of a region for this many messages to or from other regions, in three steps.
// If ranks share cores, a relay gets several messages, because it handles a few of them while other
// ranks would still wait for a core. Ranks with cores of their own share the messages.
std::size_t relays_for(std::size_t messages, double ranks_per_core);

// Whether blocks that stay inside a region join the messages to its relay, in three steps. If a
// component has one relay in the region, its members exchange one message with it each way in any
// case. Joining costs the relay two copies per block and saves a message per block, which pays off
// if messages mean context switches.
bool pays_to_combine_local(std::size_t edges, std::size_t members, double ranks_per_core);

} // namespace nbrhood
