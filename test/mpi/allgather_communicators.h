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
    /// Collective over MPI_COMM_WORLD; null on ranks that the result leaves out. Where MPI takes an
    /// info object there, it names the algorithm.
    Communicator (*make)(const std::string &algorithm);
};

const std::vector<CommunicatorMaker> &communicator_makers();

} // namespace nbrhood_test
