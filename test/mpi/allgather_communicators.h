// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Communicators made in the ways that MPI has.
#pragma once

#include "common_communicator.h"

#include <string>
#include <vector>

namespace nbrhood_test {

/// A duplicate of MPI_COMM_WORLD whose allgathers use an algorithm
/// (coll_nbrhood_allgather_algorithm).
Communicator world_copy(const std::string &algorithm);

/// MPI_COMM_WORLD with a ring's topology, whose patterns are built when it is created.
Communicator built_ring(const std::string &algorithm);

struct CommunicatorMaker {
    const char *name;
    /// Makes the communicator, collectively over MPI_COMM_WORLD; null on ranks that are not part of
    /// it. If the MPI function takes an info object, the object names the algorithm.
    Communicator (*make)(const std::string &algorithm);
};

const std::vector<CommunicatorMaker> &communicator_makers();

} // namespace nbrhood_test
