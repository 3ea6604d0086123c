// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/distinct_count.h"

#include <bitset>
#include <cmath>

#include "graph/neighbourhood.h"

namespace nbrhood {

void DistinctCount::add(std::uint64_t thing)
{
    const std::uint64_t hash = mix(thing);
    const std::uint64_t bit = hash % kBits;
    std::uint64_t rest = hash / kBits;
    for (Level &level : levels_) {
        level.at(bit / 64) |= std::uint64_t{1} << (bit % 64);
        if (rest % 4 != 0) {
            return;
        }
        rest /= 4;
    }
}

void DistinctCount::merge(const DistinctCount &other)
{
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        for (std::size_t i = 0; i < levels_[level].size(); ++i) {
            levels_[level][i] |= other.levels_[level][i];
        }
    }
}

std::optional<std::int64_t> DistinctCount::count() const
{
    constexpr int kFewestLeft = kBits / 8; // with fewer zero bits the estimate is too coarse
    double each = 1;                       // number of items that one item of the bitmap stands for
    for (const Level &level : levels_) {
        int left = kBits;
        for (const std::uint64_t word : level) {
            left -= static_cast<int>(std::bitset<64>(word).count());
        }
        if (left >= kFewestLeft) {
            return static_cast<std::int64_t>(-each * kBits
                                             * std::log(static_cast<double>(left) / kBits));
        }
        each *= 4;
    }
    return std::nullopt;
}

void DistinctCount::put(WordWriter &words) const
{
    for (const Level &level : levels_) {
        for (const std::uint64_t word : level) {
            words.put_long(static_cast<std::int64_t>(word));
        }
    }
}

DistinctCount DistinctCount::take(WordReader &words)
{
    DistinctCount taken;
    for (Level &level : taken.levels_) {
        for (std::uint64_t &word : level) {
            word = static_cast<std::uint64_t>(words.take_long());
        }
    }
    return taken;
}

} // namespace nbrhood
