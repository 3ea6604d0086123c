// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "exchange.h"

#include <nbrhood.h>

namespace nbrhood_tools::bench {

namespace {

/// The operation that is called instead, if any.
Operation called(Operation operation, Way way)
{
    if (way != Way::neighbour)
        return operation;
    return operation == Operation::mpi_alltoallw ? Operation::alltoallw : Operation::alltoallv;
}

} // namespace

Exchange::Exchange(MPI_Comm comm, Traffic &traffic, Variant variant, Way way, bool takes_part)
    : comm_(comm), traffic_(traffic), variant_(variant),
      operation_(called(traffic.operation(), way)), way_(way), takes_part_(takes_part)
{}

void Exchange::prepare()
{
    if (!takes_part_ || variant_ != Variant::persistent || way_ == Way::linear)
        return;
    traffic_.use_gpu(way_ != Way::staged);
    if (traffic_.values() == SendLayout::indexed)
        call_init_with_indices();
    else
        call_init();
}

void Exchange::release()
{
    if (request_ != MPI_REQUEST_NULL)
        MPI_Request_free(&request_);
}

void Exchange::run()
{
    if (!takes_part_) {
        if (computation_ != nullptr)
            computation_->run(nullptr);
        return;
    }
    if (packing_)
        traffic_.pack();
    traffic_.use_gpu(way_ != Way::staged);
    if (way_ == Way::staged)
        traffic_.copy_sent_from_gpu();
    exchange();
    if (way_ == Way::staged)
        traffic_.copy_received_to_gpu();
}

void Exchange::exchange()
{
    if (way_ == Way::linear) {
        post_linear();
        if (computation_ != nullptr)
            computation_->run(nullptr);
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        return;
    }
    switch (variant_) {
    case Variant::blocking:
        call_blocking();
        if (computation_ != nullptr) // nothing to overlap with
            computation_->run(nullptr);
        return;
    case Variant::nonblocking:
        call_nonblocking();
        break;
    case Variant::persistent:
        MPI_Start(&request_);
        break;
    }
    if (computation_ != nullptr)
        computation_->run(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

/// In the order of Open MPI's basic_linear.
void Exchange::post_linear()
{
    constexpr int tag = 1;
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    const auto block = [](Side &side, std::size_t rank) {
        return static_cast<unsigned char *>(side.data()) + side.whole.byte_displacements[rank];
    };
    const std::size_t ranks = s.whole.counts.size();
    requests_.resize(2 * ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        MPI_Irecv(block(r, rank), r.whole.counts[rank], type, static_cast<int>(rank), tag, comm_,
                  &requests_[rank]);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        MPI_Isend(block(s, rank), s.whole.counts[rank], type, static_cast<int>(rank), tag, comm_,
                  &requests_[ranks + rank]);
}

void Exchange::call_blocking()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    switch (operation_) {
    case Operation::allgather:
        MPI_Neighbor_allgather(s.data(), s.uniform_count, type, r.data(), r.uniform_count, type,
                               comm_);
        break;
    case Operation::allgatherv:
        MPI_Neighbor_allgatherv(s.data(), s.uniform_count, type, r.data(), r.counts.data(),
                                r.displacements.data(), type, comm_);
        break;
    case Operation::alltoall:
        MPI_Neighbor_alltoall(s.data(), s.uniform_count, type, r.data(), r.uniform_count, type,
                              comm_);
        break;
    case Operation::alltoallv:
        MPI_Neighbor_alltoallv(s.data(), s.counts.data(), s.displacements.data(), type, r.data(),
                               r.counts.data(), r.displacements.data(), type, comm_);
        break;
    case Operation::alltoallw:
        MPI_Neighbor_alltoallw(s.data(), s.counts.data(), s.byte_displacements.data(),
                               s.types.data(), r.data(), r.counts.data(),
                               r.byte_displacements.data(), r.types.data(), comm_);
        break;
    case Operation::mpi_alltoallv:
        MPI_Alltoallv(s.data(), s.whole.counts.data(), s.whole.displacements.data(), type, r.data(),
                      r.whole.counts.data(), r.whole.displacements.data(), type, comm_);
        break;
    case Operation::mpi_alltoallw:
        MPI_Alltoallw(s.data(), s.whole.counts.data(), s.whole.byte_displacements.data(),
                      s.whole.types.data(), r.data(), r.whole.counts.data(),
                      r.whole.byte_displacements.data(), r.whole.types.data(), comm_);
        break;
    }
}

void Exchange::call_nonblocking()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    switch (operation_) {
    case Operation::allgather:
        MPI_Ineighbor_allgather(s.data(), s.uniform_count, type, r.data(), r.uniform_count, type,
                                comm_, &request_);
        break;
    case Operation::allgatherv:
        MPI_Ineighbor_allgatherv(s.data(), s.uniform_count, type, r.data(), r.counts.data(),
                                 r.displacements.data(), type, comm_, &request_);
        break;
    case Operation::alltoall:
        MPI_Ineighbor_alltoall(s.data(), s.uniform_count, type, r.data(), r.uniform_count, type,
                               comm_, &request_);
        break;
    case Operation::alltoallv:
        MPI_Ineighbor_alltoallv(s.data(), s.counts.data(), s.displacements.data(), type, r.data(),
                                r.counts.data(), r.displacements.data(), type, comm_, &request_);
        break;
    case Operation::alltoallw:
        MPI_Ineighbor_alltoallw(s.data(), s.counts.data(), s.byte_displacements.data(),
                                s.types.data(), r.data(), r.counts.data(),
                                r.byte_displacements.data(), r.types.data(), comm_, &request_);
        break;
    case Operation::mpi_alltoallv:
        MPI_Ialltoallv(s.data(), s.whole.counts.data(), s.whole.displacements.data(), type,
                       r.data(), r.whole.counts.data(), r.whole.displacements.data(), type, comm_,
                       &request_);
        break;
    case Operation::mpi_alltoallw:
        MPI_Ialltoallw(s.data(), s.whole.counts.data(), s.whole.byte_displacements.data(),
                       s.whole.types.data(), r.data(), r.whole.counts.data(),
                       r.whole.byte_displacements.data(), r.whole.types.data(), comm_, &request_);
        break;
    }
}

void Exchange::call_init()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    switch (operation_) {
    case Operation::allgather:
        NBRHOOD_BENCH_PERSISTENT(Neighbor_allgather_init)
        (s.data(), s.uniform_count, type, r.data(), r.uniform_count, type, comm_, MPI_INFO_NULL,
         &request_);
        break;
    case Operation::allgatherv:
        NBRHOOD_BENCH_PERSISTENT(Neighbor_allgatherv_init)
        (s.data(), s.uniform_count, type, r.data(), r.counts.data(), r.displacements.data(), type,
         comm_, MPI_INFO_NULL, &request_);
        break;
    case Operation::alltoall:
        NBRHOOD_BENCH_PERSISTENT(Neighbor_alltoall_init)
        (s.data(), s.uniform_count, type, r.data(), r.uniform_count, type, comm_, MPI_INFO_NULL,
         &request_);
        break;
    case Operation::alltoallv:
        NBRHOOD_BENCH_PERSISTENT(Neighbor_alltoallv_init)
        (s.data(), s.counts.data(), s.displacements.data(), type, r.data(), r.counts.data(),
         r.displacements.data(), type, comm_, MPI_INFO_NULL, &request_);
        break;
    case Operation::alltoallw:
        NBRHOOD_BENCH_PERSISTENT(Neighbor_alltoallw_init)
        (s.data(), s.counts.data(), s.byte_displacements.data(), s.types.data(), r.data(),
         r.counts.data(), r.byte_displacements.data(), r.types.data(), comm_, MPI_INFO_NULL,
         &request_);
        break;
    case Operation::mpi_alltoallv:
        NBRHOOD_BENCH_PERSISTENT(Alltoallv_init)
        (s.data(), s.whole.counts.data(), s.whole.displacements.data(), type, r.data(),
         r.whole.counts.data(), r.whole.displacements.data(), type, comm_, MPI_INFO_NULL,
         &request_);
        break;
    case Operation::mpi_alltoallw:
        NBRHOOD_BENCH_PERSISTENT(Alltoallw_init)
        (s.data(), s.whole.counts.data(), s.whole.byte_displacements.data(), s.whole.types.data(),
         r.data(), r.whole.counts.data(), r.whole.byte_displacements.data(), r.whole.types.data(),
         comm_, MPI_INFO_NULL, &request_);
        break;
    }
}

void Exchange::call_init_with_indices()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    nbrhood_neighbor_alltoallv_init(
        s.data(), s.counts.data(), s.displacements.data(), traffic_.type(),
        traffic_.send_indices().data(), r.data(), r.counts.data(), r.displacements.data(),
        traffic_.type(), traffic_.receive_indices().data(), comm_, MPI_INFO_NULL, &request_);
}

} // namespace nbrhood_tools::bench
