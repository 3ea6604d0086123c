// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "exchange.h"

#include <nbrhood.h>

namespace nbrhood_tools::bench {

void Exchange::prepare()
{
    if (!takes_part_ || variant_ != Variant::persistent)
        return;
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

void Exchange::call_blocking()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    switch (traffic_.operation()) {
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
    }
}

void Exchange::call_nonblocking()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    switch (traffic_.operation()) {
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
    }
}

void Exchange::call_init()
{
    Side &s = traffic_.send();
    Side &r = traffic_.receive();
    const MPI_Datatype type = traffic_.type();
    switch (traffic_.operation()) {
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
