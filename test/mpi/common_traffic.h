// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// User point-to-point messages that surround neighbourhood calls and must not mix with them.
#pragma once

#include "common_mpi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_test {

/// A ring of messages on tags 0 and 1 of one communicator: posted before the calls, sent during and
/// checked after them.
class UserTraffic {
public:
    /// Posts the receives; with `wildcards` they use MPI_ANY_SOURCE and MPI_ANY_TAG instead of the
    /// exact envelope.
    UserTraffic(MPI_Comm comm, std::uint64_t seed, bool wildcards);
    UserTraffic(const UserTraffic &) = delete;
    UserTraffic &operator=(const UserTraffic &) = delete;

    /// Starts the sends, unless they were already started.
    void send();
    /// Completes all messages and compares; returns an empty string if all is right.
    std::string finish();

private:
    static constexpr int tags = 2;
    static constexpr int length = 6;

    int value(int source, int tag, int index) const;

    MPI_Comm comm_;
    std::uint64_t seed_;
    int rank_ = 0, size_ = 0;
    int sent_[tags][length] = {};
    int received_[tags][length] = {};
    std::vector<MPI_Request> sends_, receives_;
};

} // namespace nbrhood_test
