// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One allgather on a communicator, with an independent computation of its result.
#pragma once

#include "common_layout.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_test {

enum class GatherVariant { blocking, nonblocking, persistent };
constexpr GatherVariant gather_variants[] = {GatherVariant::blocking, GatherVariant::nonblocking,
                                             GatherVariant::persistent};

/// The arguments of a call; the same on all ranks except for the types.
struct GatherArguments {
    TypeKind sent = TypeKind::integer;
    TypeKind received = TypeKind::integer;
    int ints = 1; ///< ints that a rank contributes; a multiple of the ints in a type
    bool in_place = false;
};

/// Buffers, arguments and request of one allgather. Ints are functions of seed, round, source rank
/// in MPI_COMM_WORLD and position.
class GatherCall {
public:
    GatherCall(MPI_Comm comm, GatherVariant variant, const GatherArguments &arguments,
               std::uint64_t seed);
    GatherCall(const GatherCall &) = delete;
    GatherCall &operator=(const GatherCall &) = delete;

    /// Fills the send buffer with the values of a round, and overwrites the receive buffer.
    void prepare(int round);
    /// Makes the call; for persistent ones the init. Returns an empty string or the error, like the
    /// functions below.
    std::string invoke();
    /// Starts a persistent request, in each round.
    std::string start();
    /// Waits, unless the call is blocking, and compares every byte.
    std::string finish();
    /// prepare, the call (and the start) and finish.
    std::string run(int round);
    /// Frees the types, as a program may do after the call.
    void free_types();
    std::string free();

private:
    int value(int source, int index) const;
    std::string compare();

    MPI_Comm comm_;
    GatherVariant variant_;
    GatherArguments arguments_;
    std::uint64_t seed_;
    int round_ = 0;
    int rank_ = 0;
    std::vector<int> world_ranks_; ///< by rank of the communicator
    TypeModel sent_type_, received_type_;
    GuardedBuffer sent_, received_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool begun_ = false; ///< a persistent request was initialised
};

} // namespace nbrhood_test
