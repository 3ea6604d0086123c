// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Traffic of the edges of a region, direct and relayed, before any relay is chosen.
#include "algorithms/aggregated/region_relays.h"

namespace nbrhood {

void RegionEdges::count_direct(Traffic &total) const
{
    std::map<Rank, Load> ends; // by member: its sent and received messages
    for (const Crossing &edge : local()) {
        const Link link = known_ranks().link(edge.inside, edge.outside);
        for (Load *load : {&ends[edge.inside], &ends[edge.outside], &total.direct}) {
            load->add(link, true, 1, 1);
        }
    }
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &entry : crossings(direction)) {
            for (const Crossing &crossing : entry.second) {
                const Link link = known_ranks().link(crossing.inside, crossing.outside);
                ends[crossing.inside].add(link, false, 1, 1);
                if (direction == outgoing) {
                    total.direct.add(link, false, 1, 1);
                }
            }
        }
    }
    for (const auto &entry : ends) {
        total.busiest_direct.keep_greatest(entry.second);
    }
    total.leaving_direct = total.direct.blocks_over(Link::network);
}

// Counts the operations that the ranks get if the graph has one component.
void RegionRelays::count_relayed(BlockKind kind, Traffic &total) const
{
    total.phases = scheme_->phases();

    Forest one = edges_->as_one_component();
    RegionRelays relays(*this);
    relays.assign(one);
    std::map<Rank, Load> ends = relays.count_operations(kind, total.relayed);
    for (const Crossing &edge : edges_->local()) {
        if (relays.local_relay_.count(edge.inside) == 0) {
            const Link link = edges_->known_ranks().link(edge.inside, edge.outside);
            for (Load *load : {&ends[edge.inside], &ends[edge.outside], &total.relayed}) {
                load->add(link, true, 1, 1);
            }
        }
    }
    for (const auto &entry : ends) {
        total.busiest_relayed.keep_greatest(entry.second);
    }
    total.leaving_relayed = total.relayed.blocks_over(Link::network);
}

} // namespace nbrhood
