// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The values in buffers, which can be computed without communication.
#pragma once

#include "common/hash.h"

#include <cstddef>
#include <initializer_list>

namespace nbrhood_tools::bench {

constexpr unsigned char guard_value = 0xa5;     // outside of every block: must never change
constexpr unsigned char unwritten_value = 0x5a; // inside the receive blocks before the call

/// The bytes of a block, reproducible from its seed. Byte i comes from word i / 8, so that any
/// shift is noticed.
class BlockValues {
public:
    explicit BlockValues(std::uint64_t seed) : seed_(seed) {}
    unsigned char operator[](std::size_t index)
    {
        if (index / 8 != word_index_) {
            word_index_ = index / 8;
            word_ = mix(seed_ + word_index_ * 0x2545f4914f6cdd1dU);
        }
        return static_cast<unsigned char>(word_ >> (index % 8 * 8));
    }

private:
    std::uint64_t seed_;
    std::size_t word_index_ = SIZE_MAX;
    std::uint64_t word_ = 0;
};

/// The seed of a block, known to both ends of its edge.
inline std::uint64_t seed_of(int source, int destination, int ordinal, std::uint64_t round)
{
    std::uint64_t seed = mix(round + 1);
    for (int part : {source, destination, ordinal})
        seed = mix(seed ^ static_cast<std::uint32_t>(part));
    return seed;
}

/// The seed of an entry of a vector, the same for all receivers.
inline std::uint64_t seed_of_entry(int owner, int entry, std::uint64_t round)
{
    return seed_of(owner, -2, entry, round);
}

} // namespace nbrhood_tools::bench
