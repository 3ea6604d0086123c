// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "gather.h"

#include <algorithm>
#include <numeric>

namespace nbrhood_tools::spmm {

namespace {

std::vector<int> sources_of(const Matrix &matrix, Scope scope)
{
    if (scope == Scope::neighbours)
        return matrix.edges.sources;
    std::vector<int> everyone(static_cast<std::size_t>(matrix.columns.ranks));
    std::iota(everyone.begin(), everyone.end(), 0);
    return everyone;
}

} // namespace

std::string name_of(Operation operation)
{
    return operation == Operation::allgather ? "neighbor_allgather" : "neighbor_allgatherv";
}

Gather::Gather(const Matrix &matrix, int block_columns, Scope scope, Operation operation,
               Variant variant, MPI_Comm comm)
    : scope_(scope), operation_(operation), variant_(variant), comm_(comm),
      layout_(sources_of(matrix, scope), matrix.columns, operation == Operation::allgather)
{
    const bool padded = operation == Operation::allgather;
    sent_ = (padded ? matrix.columns.largest() : matrix.columns.size(matrix.rank)) * block_columns;
    for (std::size_t i = 0; i < layout_.sources.size(); ++i) {
        counts_.push_back(layout_.rows[i] * block_columns);
        displacements_.push_back(layout_.first_row[i] * block_columns);
    }
    counts_.push_back(0);
    displacements_.push_back(0);
    if (variant == Variant::persistent)
        staged_.resize(static_cast<std::size_t>(sent_) + 1);
}

void Gather::prepare(double *received)
{
    if (variant_ == Variant::persistent)
        call_init(received);
}

void Gather::release()
{
    if (request_ != MPI_REQUEST_NULL)
        MPI_Request_free(&request_);
}

void Gather::start(const double *block, double *received)
{
    switch (variant_) {
    case Variant::blocking:
        call_blocking(block, received);
        break;
    case Variant::nonblocking:
        call_nonblocking(block, received);
        break;
    case Variant::persistent:
        std::copy(block, block + sent_, staged_.begin());
        MPI_Start(&request_);
        break;
    }
}

void Gather::wait()
{
    if (variant_ != Variant::blocking)
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

void Gather::call_blocking(const double *block, double *received)
{
    const bool neighbours = scope_ == Scope::neighbours;
    if (operation_ == Operation::allgather) {
        const auto call = neighbours ? MPI_Neighbor_allgather : MPI_Allgather;
        call(block, sent_, MPI_DOUBLE, received, sent_, MPI_DOUBLE, comm_);
    } else {
        const auto call = neighbours ? MPI_Neighbor_allgatherv : MPI_Allgatherv;
        call(block, sent_, MPI_DOUBLE, received, counts_.data(), displacements_.data(), MPI_DOUBLE,
             comm_);
    }
}

void Gather::call_nonblocking(const double *block, double *received)
{
    const bool neighbours = scope_ == Scope::neighbours;
    if (operation_ == Operation::allgather) {
        const auto call = neighbours ? MPI_Ineighbor_allgather : MPI_Iallgather;
        call(block, sent_, MPI_DOUBLE, received, sent_, MPI_DOUBLE, comm_, &request_);
    } else {
        const auto call = neighbours ? MPI_Ineighbor_allgatherv : MPI_Iallgatherv;
        call(block, sent_, MPI_DOUBLE, received, counts_.data(), displacements_.data(), MPI_DOUBLE,
             comm_, &request_);
    }
}

void Gather::call_init(double *received)
{
    const bool neighbours = scope_ == Scope::neighbours;
    if (operation_ == Operation::allgather) {
        const auto call = neighbours ? NBRHOOD_BENCH_PERSISTENT(Neighbor_allgather_init)
                                     : NBRHOOD_BENCH_PERSISTENT(Allgather_init);
        call(staged_.data(), sent_, MPI_DOUBLE, received, sent_, MPI_DOUBLE, comm_, MPI_INFO_NULL,
             &request_);
    } else {
        const auto call = neighbours ? NBRHOOD_BENCH_PERSISTENT(Neighbor_allgatherv_init)
                                     : NBRHOOD_BENCH_PERSISTENT(Allgatherv_init);
        call(staged_.data(), sent_, MPI_DOUBLE, received, counts_.data(), displacements_.data(),
             MPI_DOUBLE, comm_, MPI_INFO_NULL, &request_);
    }
}

} // namespace nbrhood_tools::spmm
