// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// An operation together with its request, and its errors.
#pragma once

#include "common_exchange.h"

#include <memory>
#include <string>
#include <vector>

namespace nbrhood_test {

/// One operation of one rank from its start or initialisation to the check of its result.
class Pending {
public:
    Pending(const EntryPoint &entry, const Topology &topology, int rank, const Workload &workload,
            std::uint64_t seed);
    Pending(const EntryPoint &entry, std::unique_ptr<Transfer> transfer)
        : entry_(entry), exchange_(std::move(transfer))
    {}

    const EntryPoint &entry() const { return entry_; }
    Transfer &exchange() { return *exchange_; }
    MPI_Request &request() { return request_; }

    /// Fills the buffers for a round.
    void prepare(int round) { exchange_->prepare(round); }
    /// Calls the entry point: performs, starts or initialises. Returns an empty string if it
    /// succeeded, otherwise the reason.
    std::string invoke(MPI_Comm comm);
    /// Starts a persistent request.
    std::string start();
    /// Waits for the request and compares the received data.
    std::string wait();
    /// Compares the received data; for requests that were completed in another way.
    std::string check();
    /// Frees a persistent request.
    std::string free();

private:
    EntryPoint entry_;
    std::unique_ptr<Transfer> exchange_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// The numbers 0 to count-1 in a random order.
std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed);

} // namespace nbrhood_test
