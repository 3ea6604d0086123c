// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Counts what is allocated, by plans at work and by the analysis of large graphs.
#pragma once

#include <cstddef>

namespace nbrhood {

// Switches the counting of allocations on or off until the end of a scope. Plans run with it on,
// the transports of the tests, which allocate as they like, with it off.
class Counting {
public:
    explicit Counting(bool on);
    ~Counting();
    Counting(const Counting &) = delete;
    Counting &operator=(const Counting &) = delete;

    // Allocations counted since the last call.
    static long take();
    // The bytes of the largest of them since the last take().
    static std::size_t largest();
    // What is held counts on from other numbers, those of another user of memory; returns these.
    struct Held {
        long now = 0;
        long most = 0;
    };
    static Held exchange(const Held &other);
    // Counts memory that lies elsewhere as held, or with a negative number no longer.
    static void hold(long bytes);
    // The most bytes, allocated since then, that were held at one time.
    static long most_held();

private:
    bool before_;
};

} // namespace nbrhood
