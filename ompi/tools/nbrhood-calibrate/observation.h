// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measurements: exchanges of different shapes, and their times. No MPI here.
#pragma once

#include <cstddef>

namespace nbrhood_tools::calibrate {

enum class Kind {
    socket,  ///< all ranks send to ranks of their socket, if sockets are known
    node,    ///< all ranks send to ranks of other sockets of their node or, if these are not
             ///< known, to any ranks of their node
    network, ///< ranks of all nodes send to ranks of other nodes, equally many on each node
    alone,   ///< like network, with one rank on each node while the others sleep
    copy     ///< all ranks copy in their own memory
};

/// An exchange: each rank that takes part sends and receives `messages` messages of `bytes` bytes
/// and waits for all of them, `rounds` times one after the other.
struct Shape {
    Kind kind = Kind::node;
    int rounds = 1;
    int messages = 1; ///< of each round
    std::size_t bytes = 0;

    double all_messages() const { return static_cast<double>(rounds) * messages; }
    double all_bytes() const { return all_messages() * static_cast<double>(bytes); }
};

/// A shape with the time that it took.
struct Observation {
    Shape shape;
    double seconds = 0; ///< median, slowest rank
};

/// The numbers of ranks that share cores and networks.
struct Sharing {
    double local = 1;    ///< ranks per core, at least 1, in exchanges inside nodes,
    double nonlocal = 1; ///< in exchanges between nodes,
    double copy = 1;     ///< and while all copy
    int crossing = 1;    ///< ranks of a node in exchanges between nodes
};

} // namespace nbrhood_tools::calibrate
