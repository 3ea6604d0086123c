// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_traffic.h"

#include "common_random.h"

namespace nbrhood_test {

UserTraffic::UserTraffic(MPI_Comm comm, std::uint64_t seed, bool wildcards)
    : comm_(comm), seed_(seed), receives_(tags, MPI_REQUEST_NULL)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (int tag = 0; tag < tags; ++tag) {
        for (int i = 0; i < length; ++i)
            sent_[tag][i] = value(rank_, tag, i);
        const int source = (rank_ + size_ - 1) % size_;
        MPI_Irecv(received_[tag], length, MPI_INT, wildcards ? MPI_ANY_SOURCE : source,
                  wildcards ? MPI_ANY_TAG : tag, comm, &receives_[static_cast<std::size_t>(tag)]);
    }
}

int UserTraffic::value(int source, int tag, int index) const
{
    return static_cast<int>(hash_of(seed_, source, tag, index) >> 33);
}

void UserTraffic::send()
{
    if (!sends_.empty())
        return;
    // Sends in the order of the receives, so that wildcards match them one by one.
    for (int tag = 0; tag < tags; ++tag) {
        sends_.push_back(MPI_REQUEST_NULL);
        MPI_Isend(sent_[tag], length, MPI_INT, (rank_ + 1) % size_, tag, comm_, &sends_.back());
    }
}

std::string UserTraffic::finish()
{
    std::string wrong;
    const int source = (rank_ + size_ - 1) % size_;
    for (int tag = 0; tag < tags; ++tag) {
        MPI_Status status;
        MPI_Wait(&receives_[static_cast<std::size_t>(tag)], &status);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        bool right = count == length && status.MPI_TAG == tag && status.MPI_SOURCE == source;
        for (int i = 0; i < length; ++i)
            right = right && received_[tag][i] == value(source, tag, i);
        if (!right) {
            wrong = "the user's receive on tag " + std::to_string(tag) + " got "
                    + std::to_string(count) + " ints with tag " + std::to_string(status.MPI_TAG)
                    + " from rank " + std::to_string(status.MPI_SOURCE);
        }
    }
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    return wrong;
}

} // namespace nbrhood_test
