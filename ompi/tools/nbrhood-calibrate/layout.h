// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which ranks are on which node, and who exchanges messages with whom.
#pragma once

#include "observation.h"

#include "measuring/mpi_headers.h"

#include <vector>

namespace nbrhood_tools::calibrate {

/// The ranks of a communicator by node; the same on every rank, but for the last three members.
struct Layout {
    std::vector<std::vector<int>> nodes; ///< the ranks of each node
    std::vector<int> cores;              ///< of each node
    /// Of each node the ranks of its sockets. Empty unless every node has several, with equally
    /// many ranks, two at least, that are bound to them: else there is nothing to tell apart.
    std::vector<std::vector<std::vector<int>>> sockets;
    int rank = 0;
    int node = 0;  ///< of this rank
    int place = 0; ///< of this rank in nodes[node]

    /// The ranks of a node that exchange messages with other nodes: as many on each node as there
    /// are on the one with the fewest.
    int crossing() const;
    /// True for the ranks that have messages in experiments of this kind.
    bool takes_part(Kind kind) const;
    /// The facts that a fit needs.
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
