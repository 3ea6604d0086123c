// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Counts allocations of plans at work and of the analysis of large graphs.
#pragma once

#include <cstddef>

namespace nbrhood {

// Switches the counting of allocations on or off until the end of a scope. It is on while plans
// run, and off in the transports of the tests, whose allocations do not count.
class Counting {
public:
    explicit Counting(bool on);
    ~Counting();
    Counting(const Counting &) = delete;
    Counting &operator=(const Counting &) = delete;

    // Allocations counted since the last call.
    static long take();
    // The bytes of the largest allocation since the last take().
    static std::size_t largest();
    // Continues the count of held bytes from the numbers of another user of memory; returns the
    // present numbers.
    struct Held {
        long now = 0;
        long most = 0;
    };
    static Held exchange(const Held &other);
    // Adds memory from elsewhere to the held bytes, or subtracts it if the number is negative.
    static void hold(long bytes);
    // The most bytes, allocated since then, that were held at one time.
    static long most_held();

private:
    bool before_;
};

} // namespace nbrhood
