// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The nodes of ranks, and the partners with which each rank exchanges messages.
#pragma once

#include "observation.h"

#include "measuring/mpi_headers.h"

#include <vector>

namespace nbrhood_tools::calibrate {

/// The ranks of a communicator by node; the same on every rank, except for the last three members.
struct Layout {
    std::vector<std::vector<int>> nodes; ///< the ranks of each node
    std::vector<int> cores;              ///< of each node
    /// The ranks of the sockets of each node. Empty unless every node has several sockets with
    /// equally many ranks, at least two, bound to each: otherwise links inside and between sockets
    /// cannot be distinguished.
    std::vector<std::vector<std::vector<int>>> sockets;
    int rank = 0;
    int node = 0;  ///< of this rank
    int place = 0; ///< of this rank in nodes[node]

    /// The ranks of a node that exchange messages with other nodes: equally many on each node,
    /// namely all of the smallest node.
    int crossing() const;
    /// True for the ranks that have messages in experiments of this kind.
    bool takes_part(Kind kind) const;
    /// The facts that fit() needs.
    Sharing sharing() const;
};

/// Finds nodes and sockets by MPI_Comm_split_type. Collective over `comm`.
Layout find_layout(MPI_Comm comm);

/// The two partners of a rank for one message.
struct Partners {
    int to = 0;
    int from = 0;
};

/// The partners of this rank for the message with number `index`, counted over the rounds of an
/// exchange. For each number the messages of all ranks form a permutation; consecutive numbers mean
/// different partners as long as there are any. Only where layout.takes_part(kind).
Partners partners_of(const Layout &layout, Kind kind, int index);

} // namespace nbrhood_tools::calibrate
