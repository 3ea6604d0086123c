// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Verification of an algorithm against the graph, independent of any MPI's results.
#pragma once

#include "interfaces.h"
#include "mpi_headers.h"

#include <string>

namespace nbrhood_tools {

/// Runs the exchange once with the values of `round` and compares every received byte, and every
/// byte around the blocks, with values computed from the graph alone. Reports mismatches on rank
/// 0's stderr, with the prefix `what`. Collective over `comm`; true on every rank if all ranks
/// found everything right. `call_seconds`, if given, receives the time of the call on the slowest
/// rank.
bool verify(Repeatable &exchange, Checkable &data, std::uint64_t round, const std::string &what,
            MPI_Comm comm, double *call_seconds = nullptr);

} // namespace nbrhood_tools
