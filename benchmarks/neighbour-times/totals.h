// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The time that one rank has spent in the timed functions.
#pragma once

#include "functions.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace neighbour_times {

using Clock = std::chrono::steady_clock;

inline std::int64_t nanoseconds_since(Clock::time_point start)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Atomic, because threads add to them at the same time.
struct Total {
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> nanoseconds{0};
};

struct Totals {
    std::array<Total, kFunctions> functions;
    std::int64_t init_nanoseconds = 0;
    Clock::time_point initialized;

    void add(Function function, std::int64_t calls, Clock::time_point start)
    {
        Total &total = functions[static_cast<std::size_t>(function)];
        total.calls.fetch_add(calls, std::memory_order_relaxed);
        total.nanoseconds.fetch_add(nanoseconds_since(start), std::memory_order_relaxed);
    }
};

/// Never destroyed, because MPI_Finalize may be called while the program's other objects are being
/// destroyed.
inline Totals &totals()
{
    static auto *const all = new Totals;
    return *all;
}

/// Sums the times of all ranks; rank 0 writes the sums. Collective, before MPI ends.
void report();

} // namespace neighbour_times
