// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Deterministic random numbers: the same seed gives the same sequence on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nbrhood_test {

/// Mixes one 64-bit number into a well spread one (splitmix64's finaliser).
inline std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Hash of an ordered tuple of numbers: facts of the global graph are computed from such hashes, so
/// every rank knows all of them.
template <typename... Numbers>
std::uint64_t hash_of(std::uint64_t first, Numbers... rest)
{
    std::uint64_t h = mix(first);
    ((h = mix(h ^ static_cast<std::uint64_t>(rest))), ...);
    return h;
}

/// A small generator; not for statistics, only for reproducible variety.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

    /// The next 64 random bits.
    std::uint64_t next() { return mix(state_++); }

    /// A number in [0, bound); bound must be positive.
    int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }

    /// True with probability p.
    bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }

    /// Puts the elements of a vector into random order.
    template <typename T>
    void shuffle(std::vector<T> &items)
    {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<int>(i)))]);
        }
    }

private:
    std::uint64_t state_;
};

} // namespace nbrhood_test
