// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The call that brings a rank the rows of the right-hand matrix that it needs.
#pragma once

#include "matrix.h"
#include "terms.h"

#include "measuring/mpi_headers.h"
#include "measuring/variant.h"

#include <string>
#include <vector>

namespace nbrhood_tools::spmm {

/// The collective: allgather sends equal blocks, padded if stripes differ; allgatherv sends the
/// rows that a rank owns.
enum class Operation { allgather, allgatherv };

/// The sources: the ranks whose rows are needed, or all ranks.
enum class Scope { neighbours, everyone };

/// "neighbor_allgather" or "neighbor_allgatherv".
std::string name_of(Operation operation);

/// One collective on one communicator, for blocks of one size. Errors of MPI end the program
/// (MPI_ERRORS_ARE_FATAL).
class Gather {
public:
    /// With Scope::neighbours `comm` has the graph of matrix.edges.
    Gather(const Matrix &matrix, int block_columns, Scope scope, Operation operation,
           Variant variant, MPI_Comm comm);
    ~Gather() { release(); }
    Gather(const Gather &) = delete;
    Gather &operator=(const Gather &) = delete;

    /// The places of rows in the receive buffer.
    const ReceiveLayout &layout() const { return layout_; }
    /// Makes the request, which receives into `received`, if the call is persistent; otherwise does
    /// nothing. Must precede start(); must not be repeated without release().
    void prepare(double *received);
    /// Undoes prepare().
    void release();
    /// Begins to gather a block; blocking: gathers it. `block` has the rank's rows. `block` and
    /// `received` must exist until wait().
    void start(const double *block, double *received);
    void wait();

private:
    void call_blocking(const double *block, double *received);
    void call_nonblocking(const double *block, double *received);
    void call_init(double *received);

    Scope scope_;
    Operation operation_;
    Variant variant_;
    MPI_Comm comm_;
    ReceiveLayout layout_;
    int sent_ = 0; ///< values of a call
    /// In values. One element more than there are sources: Open MPI refuses null pointers.
    std::vector<int> counts_;
    std::vector<int> displacements_;
    /// The send buffer of a persistent request, which cannot send from another place each time.
    std::vector<double> staged_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace nbrhood_tools::spmm
