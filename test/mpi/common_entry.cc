// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_entry.h"

#include "common_persistent.h"

namespace nbrhood_test {

// The argument lists of the five operations, written once.
#define ALLGATHER_ARGS                                                                             \
    a.send.buffer, a.send.count, a.send.type, a.recv.buffer, a.recv.count, a.recv.type, comm
#define ALLGATHERV_ARGS                                                                            \
    a.send.buffer, a.send.count, a.send.type, a.recv.buffer, a.recv.counts, a.recv.displs,         \
        a.recv.type, comm
#define ALLTOALL_ARGS ALLGATHER_ARGS
#define ALLTOALLV_ARGS                                                                             \
    a.send.buffer, a.send.counts, a.send.displs, a.send.type, a.recv.buffer, a.recv.counts,        \
        a.recv.displs, a.recv.type, comm
#define ALLTOALLW_ARGS                                                                             \
    a.send.buffer, a.send.counts, a.send.byte_displs, a.send.types, a.recv.buffer, a.recv.counts,  \
        a.recv.byte_displs, a.recv.types, comm

// The three rows of one operation.
#define ROWS(op, ARGS)                                                                             \
    EntryPoint{Operation::op, Variant::blocking, "MPI_Neighbor_" #op,                              \
               [](const CallArguments &a, MPI_Comm comm, MPI_Request *request) {                   \
                   *request = MPI_REQUEST_NULL;                                                    \
                   return MPI_Neighbor_##op(ARGS);                                                 \
               }},                                                                                 \
        EntryPoint{Operation::op, Variant::nonblocking, "MPI_Ineighbor_" #op,                      \
                   [](const CallArguments &a, MPI_Comm comm, MPI_Request *request) {               \
                       return MPI_Ineighbor_##op(ARGS, request);                                   \
                   }},                                                                             \
        EntryPoint                                                                                 \
    {                                                                                              \
        Operation::op, Variant::persistent,                                                        \
            NBRHOOD_TEST_PERSISTENT_PREFIX "Neighbor_" #op "_init",                                \
            [](const CallArguments &a, MPI_Comm comm, MPI_Request *request) {                      \
                return NBRHOOD_TEST_PERSISTENT(Neighbor_##op##_init)(ARGS, MPI_INFO_NULL,          \
                                                                     request);                     \
            }                                                                                      \
    }

const std::array<EntryPoint, 15> &entry_points()
{
    static const std::array<EntryPoint, 15> table = {
        ROWS(allgather, ALLGATHER_ARGS), ROWS(allgatherv, ALLGATHERV_ARGS),
        ROWS(alltoall, ALLTOALL_ARGS),   ROWS(alltoallv, ALLTOALLV_ARGS),
        ROWS(alltoallw, ALLTOALLW_ARGS),
    };
    return table;
}

const EntryPoint &entry_point(Operation operation, Variant variant)
{
    return entry_points()[static_cast<std::size_t>(operation) * 3
                          + static_cast<std::size_t>(variant)];
}

} // namespace nbrhood_test
