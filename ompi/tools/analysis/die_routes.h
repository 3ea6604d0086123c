// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The routes of messages between GPU dies, and their bytes on each link and across the boundary of
// each node.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow.h"
#include "machine/die_links.h"
#include "machine/machine.h"

namespace nbrhood {

// One direction of the links that join two dies of a node.
struct DieStep {
    int from = 0;
    int to = 0;
};

// The route between each two dies: one with the fewest hops; among these one whose narrowest place
// has the most links; among these the one over the dies with the lowest numbers. The manufacturer
// does not document which route the hardware takes.
class DieRoutes {
public:
    explicit DieRoutes(const DieLinks &links);

    int dies() const { return dies_; }
    // Empty from a die to itself, and between dies that no chain of links joins: their messages go
    // through the host.
    const std::vector<DieStep> &way(int from, int to) const
    {
        return ways_[static_cast<std::size_t>(from) * static_cast<std::size_t>(dies_)
                     + static_cast<std::size_t>(to)];
    }

private:
    int dies_;
    std::vector<std::vector<DieStep>> ways_; // by from * dies + to
};

// Ranks on the GPU dies of identical nodes.
struct DieCluster {
    // The ranks of a machine, with these links in each node. Throws std::invalid_argument if a
    // rank's die is not known, or not one of these dies.
    DieCluster(const Machine &machine, DieLinks links);

    DieLinks links;
    int nodes = 0;
    std::vector<int> node_of; // by rank, numbered from 0 in the order of their lowest ranks
    std::vector<int> die_of;  // by rank

    int node(Rank rank) const { return node_of[static_cast<std::size_t>(rank)]; }
    int die(Rank rank) const { return die_of[static_cast<std::size_t>(rank)]; }
};

// The bytes of one call.
struct DieTraffic {
    // Bytes over the links between two dies, by from * dies + to; a message counts on every step of
    // its route. The total of all nodes, and the maximum of a node.
    std::vector<std::uint64_t> link_sum, link_most;
    std::uint64_t host = 0; // between dies of a node that no links join
    // By node.
    std::vector<std::uint64_t> enters, leaves;
};
DieTraffic count_die_traffic(const Flow &flow, const DieCluster &cluster);

} // namespace nbrhood
