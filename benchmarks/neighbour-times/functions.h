// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The functions of MPI that are timed.
#pragma once

#include <array>
#include <cstddef>

namespace neighbour_times {

enum class Function : std::size_t {
    kDistGraphCreateAdjacent,
    kDistGraphCreate,
    kGraphCreate,
    kCartCreate,
    kCartSub,
    kCommDup,
    kAllgather,
    kAllgatherv,
    kAlltoall,
    kAlltoallv,
    kAlltoallw,
    kAllAllgather,
    kAllAlltoallv,
    kAllAlltoallw,
    kIAllgather,
    kIAllgatherv,
    kIAlltoall,
    kIAlltoallv,
    kIAlltoallw,
    kIAllAllgather,
    kIAllAlltoallv,
    kIAllAlltoallw,
    kAllgatherInit,
    kAllgathervInit,
    kAlltoallInit,
    kAlltoallvInit,
    kAlltoallwInit,
    kAllAllgatherInit,
    kAllAlltoallvInit,
    kAllAlltoallwInit,
    kStart,
    kCompletion,
    kCount
};

constexpr std::size_t kFunctions = static_cast<std::size_t>(Function::kCount);

struct FunctionFacts {
    const char *name;
    bool is_creation;  // creates a communicator with a topology; the time of all other functions
                       // counts as calls
    bool begins_calls; // each call of the function is, or starts, one collective
};

/// In the order of the enumeration.
constexpr std::array<FunctionFacts, kFunctions> kFacts = {{
    {"MPI_Dist_graph_create_adjacent", true, false},
    {"MPI_Dist_graph_create", true, false},
    {"MPI_Graph_create", true, false},
    {"MPI_Cart_create", true, false},
    {"MPI_Cart_sub", true, false},
    {"MPI_Comm_dup", true, false},
    {"MPI_Neighbor_allgather", false, true},
    {"MPI_Neighbor_allgatherv", false, true},
    {"MPI_Neighbor_alltoall", false, true},
    {"MPI_Neighbor_alltoallv", false, true},
    {"MPI_Neighbor_alltoallw", false, true},
    {"MPI_Allgather", false, true},
    {"MPI_Alltoallv", false, true},
    {"MPI_Alltoallw", false, true},
    {"MPI_Ineighbor_allgather", false, true},
    {"MPI_Ineighbor_allgatherv", false, true},
    {"MPI_Ineighbor_alltoall", false, true},
    {"MPI_Ineighbor_alltoallv", false, true},
    {"MPI_Ineighbor_alltoallw", false, true},
    {"MPI_Iallgather", false, true},
    {"MPI_Ialltoallv", false, true},
    {"MPI_Ialltoallw", false, true},
    {"MPI_Neighbor_allgather_init", false, false},
    {"MPI_Neighbor_allgatherv_init", false, false},
    {"MPI_Neighbor_alltoall_init", false, false},
    {"MPI_Neighbor_alltoallv_init", false, false},
    {"MPI_Neighbor_alltoallw_init", false, false},
    {"MPI_Allgather_init", false, false},
    {"MPI_Alltoallv_init", false, false},
    {"MPI_Alltoallw_init", false, false},
    {"MPI_Start", false, true},
    {"MPI_Wait, MPI_Test", false, false},
}};

} // namespace neighbour_times
