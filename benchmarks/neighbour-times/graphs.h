// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which graphs a program's communicators have, and how often their collectives are called: that
// decides where the component builds, and whether it builds anew what it had built before.
#pragma once

#include "functions.h"

#include "measuring/mpi_headers.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace neighbour_times {

/// A communicator with a topology, as one rank sees it. Hashes in place of lists: a program may
/// make thousands.
struct Graph {
    std::uint64_t group = 0;      // hash of its processes, in their order
    std::int64_t creation = 0;    // its number on that group, the same on all its ranks
    std::uint64_t edges = 0;      // hash of this rank's sources and destinations, in their order
    std::uint64_t transposed = 0; // the same with both exchanged
    std::int64_t neighbours = 0;  // sources and destinations other than the rank itself
    std::array<std::atomic<std::int64_t>, kCollectives> calls{};  // persistent ones left out
    std::array<std::atomic<std::int64_t>, kCollectives> starts{}; // the most of one request
};

/// Whether graphs are noted: where NBRHOOD_GRAPHS_DIR names a directory. Otherwise calls need not
/// look for theirs.
bool notes_graphs();

/// Notes a new communicator; MPI_COMM_NULL is none.
void note_creation(MPI_Comm comm);

/// Counts a blocking or nonblocking call.
void note_call(MPI_Comm comm, std::size_t collective);

/// Where the starts of a new persistent request count, or nullptr.
std::atomic<std::int64_t> *starts_of(MPI_Comm comm, std::size_t collective);

/// What each of this library's files begins with; "complete" ends it.
std::string begin_json();

/// Writes what this rank has noted into a file of the directory that has the rank's number.
void write_graphs(int rank);

} // namespace neighbour_times
