// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Differences between three steps and two in how the messages of a region are relayed.
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
    // There is one object for each scheme, without state.
    static const RelayScheme &of(Scheme scheme);

    // How many messages of a call wait for one another.
    virtual int phases() const = 0;
    // Who sends the message with the blocks of a source; kNoRank: a relay, together with those of
    // all others.
    virtual Rank sender(Rank source) const = 0;
    // How many members of a component may relay, unless the user says how many; and whether those
    // without edges in one direction may where others have both.
    virtual std::size_t relays(const RegionEdges &edges, const Tuning &tuning) const = 0;
    virtual bool takes_one_directional() const = 0;
    // The members that save a message if they are the ones to receive these blocks.
    virtual std::set<Rank> best_receivers(const std::vector<Crossing> &crossings) const = 0;
    // Whether blocks that stay inside are combined, too, by the only relay of a component with so
    // many edges and members inside.
    virtual bool combines_local(const Tuning &tuning, std::size_t edges,
                                std::size_t members) const = 0;
};

// How many ranks of a region relay so many messages to or from others, in three steps. Where ranks
// share cores, one rank handles a few messages while the others would still be waiting for a core,
// so a relay gets several; ranks with cores of their own share the messages out.
std::size_t relays_for(std::size_t messages, double ranks_per_core);

// Whether blocks that stay inside a region join the messages to its relay, in three steps. If a
// component has one relay in the region, its members exchange one message with it each way in any
// case. To join costs the relay two copies per block and saves a message per block, which pays off
// where messages mean context switches.
bool pays_to_combine_local(std::size_t edges, std::size_t members, double ranks_per_core);

} // namespace nbrhood
