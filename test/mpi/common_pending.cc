// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_pending.h"

#include "common_random.h"
#include "common_run.h"

#include <numeric>

namespace nbrhood_test {

Pending::Pending(const EntryPoint &entry, const Topology &topology, int rank,
                 const Workload &workload, std::uint64_t seed)
    : entry_(entry),
      exchange_(std::make_unique<Exchange>(topology, rank, entry.operation, workload, seed))
{}

std::string Pending::invoke(MPI_Comm comm)
{
    watchdog::detail(entry_.name);
    return failed_call("the call", entry_.invoke(exchange_->arguments(), comm, &request_));
}

std::string Pending::start()
{
    watchdog::detail(std::string("MPI_Start of ") + entry_.name);
    return failed_call("MPI_Start", MPI_Start(&request_));
}

std::string Pending::wait()
{
    watchdog::detail(std::string("MPI_Wait of ") + entry_.name);
    const std::string failure = failed_call("MPI_Wait", MPI_Wait(&request_, MPI_STATUS_IGNORE));
    return failure.empty() ? exchange_->check() : failure;
}

std::string Pending::check()
{
    return exchange_->check();
}

std::string Pending::free()
{
    return failed_call("MPI_Request_free", MPI_Request_free(&request_));
}

std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random(seed).shuffle(order);
    return order;
}

} // namespace nbrhood_test
