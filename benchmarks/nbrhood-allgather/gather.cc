// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "gather.h"

#include "common/hash.h"

#include <cstdio>

namespace nbrhood_tools::allgather {

namespace {

unsigned char byte_of(std::uint64_t round, std::size_t rank, std::size_t at)
{
    return static_cast<unsigned char>(mix(round << 48 ^ std::uint64_t{rank} << 24 ^ at));
}

} // namespace

Gather::Gather(MPI_Comm comm, Variant variant, std::size_t bytes)
    : comm_(comm), variant_(variant), sent_(bytes)
{
    int ranks = 0;
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks);
    received_.resize(bytes * static_cast<std::size_t>(ranks));
}

void Gather::prepare()
{
    const int bytes = static_cast<int>(sent_.size());
    // In the first blocking call on a communicator its ranks agree.
    MPI_Allgather(sent_.data(), bytes, MPI_BYTE, received_.data(), bytes, MPI_BYTE, comm_);
    if (variant_ == Variant::persistent)
        NBRHOOD_BENCH_PERSISTENT(Allgather_init)
    (sent_.data(), bytes, MPI_BYTE, received_.data(), bytes, MPI_BYTE, comm_, MPI_INFO_NULL,
     &request_);
}

void Gather::release()
{
    if (request_ != MPI_REQUEST_NULL)
        MPI_Request_free(&request_);
}

void Gather::run()
{
    const int bytes = static_cast<int>(sent_.size());
    switch (variant_) {
    case Variant::blocking:
        MPI_Allgather(sent_.data(), bytes, MPI_BYTE, received_.data(), bytes, MPI_BYTE, comm_);
        break;
    case Variant::nonblocking:
        MPI_Iallgather(sent_.data(), bytes, MPI_BYTE, received_.data(), bytes, MPI_BYTE, comm_,
                       &request_);
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
        break;
    case Variant::persistent:
        MPI_Start(&request_);
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
        break;
    }
}

void Gather::fill(std::uint64_t round)
{
    for (std::size_t at = 0; at < sent_.size(); ++at)
        sent_[at] = byte_of(round, static_cast<std::size_t>(rank_), at);
    for (std::size_t at = 0; at < received_.size(); ++at)
        received_[at] =
            static_cast<unsigned char>(~byte_of(round, at / sent_.size(), at % sent_.size()));
}

std::size_t Gather::check(std::uint64_t round, std::string &first) const
{
    std::size_t wrong = 0;
    for (std::size_t at = 0; at < received_.size(); ++at) {
        const std::size_t rank = at / sent_.size();
        if (received_[at] == byte_of(round, rank, at % sent_.size()))
            continue;
        if (wrong++ == 0)
            first =
                "byte " + std::to_string(at % sent_.size()) + " of rank " + std::to_string(rank);
    }
    return wrong;
}

} // namespace nbrhood_tools::allgather
