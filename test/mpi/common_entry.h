// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The fifteen entry points as one table: five operations, each blocking, nonblocking and
// persistent.
#pragma once

#include "common_mpi.h"

#include <array>
#include <cstdint>

namespace nbrhood_test {

enum class Operation { allgather, allgatherv, alltoall, alltoallv, alltoallw };
enum class Variant { blocking, nonblocking, persistent };

/// One side's arguments of a call; each operation takes the fields that it needs.
struct SideArguments {
    void *buffer = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int *counts = nullptr;
    const int *displs = nullptr;
    const MPI_Aint *byte_displs = nullptr;
    const MPI_Datatype *types = nullptr;
    const std::int64_t *indices = nullptr; ///< indices of the values, for calls that take them
};

struct CallArguments {
    SideArguments send;
    SideArguments recv;
};

/// A row of the table. invoke performs a blocking call, starts a nonblocking one or initialises a
/// persistent one.
struct EntryPoint {
    Operation operation;
    Variant variant;
    const char *name;
    int (*invoke)(const CallArguments &arguments, MPI_Comm comm, MPI_Request *request);
};

/// All entry points.
const std::array<EntryPoint, 15> &entry_points();
/// The row of an operation and a variant.
const EntryPoint &entry_point(Operation operation, Variant variant);

/// Whether block sizes may differ by slot (allgatherv, alltoallv, alltoallw).
inline bool has_counts(Operation op)
{
    return op != Operation::allgather && op != Operation::alltoall;
}
/// Whether a rank sends one block to all its neighbours (allgather, allgatherv).
inline bool is_gather(Operation op)
{
    return op == Operation::allgather || op == Operation::allgatherv;
}

} // namespace nbrhood_test
