// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The opaque nbrhood_topology of the C interface.
#pragma once

#include <atomic>
#include <memory>

#include "capi/nbrhood_topology.h"
#include "engine/engine.h"

struct nbrhood_topology {
    nbrhood::Topology data;
    // The neighbourhood, for later builds, if the topology was created without the other ranks.
    std::unique_ptr<const nbrhood::Neighbourhood> later;
    std::atomic<unsigned> owners{1}; // see nbrhood_topology_share
};

namespace nbrhood {

Place place_of(const nbrhood_place &given);

// Records the patterns of a topology. A failure has no other consequences.
void record(Topology &topology, const Neighbourhood &neighbourhood, Place place, Rank ranks,
            const Settings &settings, nbrhood_recording &recording);

// How a collective is served with blocks of the sizes of that interval.
inline const Served &served_by(const Topology &topology, int collective, int interval)
{
    return topology
        .served[static_cast<std::size_t>(collective)][static_cast<std::size_t>(interval)];
}

} // namespace nbrhood
