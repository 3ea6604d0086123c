// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "computation.h"

#include <algorithm>
#include <cmath>

namespace nbrhood_tools::bench {

namespace {

void work(long steps)
{
    volatile double value = 1;
    for (long step = 0; step < steps; ++step)
        value = value * 0.5 + 1;
}

} // namespace

Computation::Computation(double seconds, int tests, MPI_Comm comm) : tests_(tests)
{
    // If ranks share a core, the shortest of many short runs is one that no other rank interrupted.
    constexpr long trial = 100000;
    double shortest = 1;
    for (int repeat = 0; repeat < 50; ++repeat) {
        const double start = MPI_Wtime();
        work(trial);
        shortest = std::min(shortest, MPI_Wtime() - start);
    }
    MPI_Allreduce(MPI_IN_PLACE, &shortest, 1, MPI_DOUBLE, MPI_MIN, comm);
    steps_ = std::lround(seconds / std::max(shortest, 1e-9) * trial / (tests + 1));
}

void Computation::run(MPI_Request *request) const
{
    work(steps_);
    for (int test = 0; test < tests_; ++test) {
        int done = 0;
        if (request != nullptr && *request != MPI_REQUEST_NULL)
            MPI_Test(request, &done, MPI_STATUS_IGNORE);
        work(steps_);
    }
}

} // namespace nbrhood_tools::bench
