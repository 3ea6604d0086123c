// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One MPI neighbourhood collective, in one of its three variants, on one communicator.
#pragma once

#include "computation.h"
#include "traffic.h"

#include "measuring/interfaces.h"
#include "measuring/variant.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// How an operation that names all ranks is carried out; others are always called.
enum class Way {
    call,
    staged,    ///< call, between copies from and to the GPU: for an MPI that does not know it
    neighbour, ///< by the neighbourhood collective, on a communicator with the graph
    linear     ///< by MPI_Isend and MPI_Irecv with each rank, also of 0 bytes
};

/// Calls the operation of a Traffic on one communicator. Errors of MPI end the program
/// (MPI_ERRORS_ARE_FATAL).
class Exchange : public Repeatable {
public:
    /// `takes_part` false: this rank makes no call at all, as in programs that skip calls if the
    /// degree is 0.
    Exchange(MPI_Comm comm, Traffic &traffic, Variant variant, Way way, bool takes_part);
    ~Exchange() override { Exchange::release(); }
    /// Lets run() include other work of an application: packing the blocks before the call, and a
    /// computation (null: none; it must outlive this object) between start and wait.
    void include(bool packing, const Computation *computation)
    {
        packing_ = packing;
        computation_ = computation;
    }
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;

    /// Makes the request if the call is persistent, otherwise does nothing. Must precede run();
    /// must not be repeated without release().
    void prepare() override;
    /// Undoes prepare().
    void release() override;
    /// One complete operation: the call, or the call and its wait, or start and wait.
    void run() override;

private:
    void exchange();
    void post_linear();
    void call_blocking();
    void call_nonblocking();
    void call_init();
    void call_init_with_indices();

    MPI_Comm comm_;
    Traffic &traffic_;
    Variant variant_;
    Operation operation_; ///< that is called
    Way way_;
    bool takes_part_;
    bool packing_ = false;
    const Computation *computation_ = nullptr;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::vector<MPI_Request> requests_; ///< of Way::linear
};

} // namespace nbrhood_tools::bench
