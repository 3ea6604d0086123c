// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One MPI_Alltoallv or MPI_Alltoallw, with an independent computation of its result.
#pragma once

#include "common_entry.h"
#include "common_layout.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nbrhood_test {

/// The arguments of a call; the same on all ranks.
struct AlltoallvArguments {
    Variant variant = Variant::blocking;
    bool typed = false;     ///< MPI_Alltoallw
    bool in_place = false;  ///< `ints` must be symmetric
    bool derived = false;   ///< ranks (alltoallw: ends of blocks) draw datatypes, also empty ones
    std::uint64_t seed = 1; ///< of values, datatypes and places in memory
    /// Ints of a block; ranks are those of MPI_COMM_WORLD.
    std::function<int(int source, int destination)> ints;
};

/// Buffers, arguments and request of one call. Ints are functions of seed, round, source and
/// destination in MPI_COMM_WORLD, and position.
class AlltoallvCall {
public:
    /// `world_ranks`: the result of the function of that name for `comm`.
    AlltoallvCall(MPI_Comm comm, const std::vector<int> &world_ranks, AlltoallvArguments arguments);
    AlltoallvCall(const AlltoallvCall &) = delete;
    AlltoallvCall &operator=(const AlltoallvCall &) = delete;

    /// The MPI function, for messages.
    std::string name() const;
    bool persistent() const { return arguments_.variant == Variant::persistent; }
    /// Fills the send buffer with the values of a round, and overwrites the receive buffer.
    void prepare(int round);
    /// Makes the call; for persistent ones the init. Returns an empty string or the error, like the
    /// functions below.
    std::string invoke();
    /// Starts a persistent request, in each round.
    std::string start();
    /// Waits, unless the call is blocking, and compares every byte.
    std::string finish();
    /// Frees the types, as a program may do after the call.
    void free_types();
    /// Frees a persistent request.
    std::string free();

private:
    struct Block {
        std::size_t type = 0;  ///< index into types
        int ints = 0;          ///< that move
        std::ptrdiff_t at = 0; ///< origin in bytes
    };
    /// Send or receive arguments.
    struct Half {
        bool receives = false;
        std::vector<TypeModel> types; ///< one, or one for each rank
        std::vector<Block> blocks;    ///< by rank, like the arrays
        std::vector<int> counts, displs;
        std::vector<MPI_Datatype> handles;
        GuardedBuffer buffer, expected;
    };

    int source(const Half &half, std::size_t peer) const;
    int destination(const Half &half, std::size_t peer) const;
    TypeKind kind(bool receives, int source, int destination) const;
    int ints(int source, int destination) const;
    int count(const TypeModel &type, int ints, int source, int destination) const;
    int value(int source, int destination, int index) const;
    void describe(Half &half);
    void place(Half &half);
    void fill(Half &half, GuardedBuffer &buffer, bool swapped) const;
    std::string compare(Half &half, const char *buffer) const;

    MPI_Comm comm_;
    const std::vector<int> world_ranks_;
    const AlltoallvArguments arguments_;
    int own_ = 0; ///< rank in MPI_COMM_WORLD
    int round_ = 0;
    Half send_, receive_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace nbrhood_test
