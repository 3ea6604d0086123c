// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The graphs of a program's communicators, and the numbers of calls of their collectives. These
// decide whether the component builds a pattern, and whether it builds one again.
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
    std::uint64_t group = 0;      // hash of the communicator's processes, in their order
    std::int64_t creation = 0;    // the communicator's number on that group, the same on all ranks
    std::uint64_t edges = 0;      // hash of this rank's sources and destinations, in their order
    std::uint64_t transposed = 0; // the same with both exchanged
    std::int64_t neighbours = 0;  // sources and destinations other than the rank itself
    std::array<std::atomic<std::int64_t>, kCollectives> calls{};  // persistent ones left out
    std::array<std::atomic<std::int64_t>, kCollectives> starts{}; // the most of one request
};

/// Whether graphs are noted, that is, NBRHOOD_GRAPHS_DIR names a directory. Otherwise calls need
/// not look up their graph.
bool notes_graphs();

/// Notes a new communicator; MPI_COMM_NULL is none.
void note_creation(MPI_Comm comm);

/// Counts a blocking or nonblocking call.
void note_call(MPI_Comm comm, std::size_t collective);

/// The counter for the starts of a new persistent request, or nullptr.
std::atomic<std::int64_t> *starts_of(MPI_Comm comm, std::size_t collective);

/// The beginning of each file of this library; "complete" ends a file.
std::string begin_json();

/// Writes the notes of this rank into a file of the directory, named by the rank's number.
void write_graphs(int rank);

} // namespace neighbour_times
