// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Intervals of blocks in an order, so that millions of them can be sorted and searched.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

// An interval of one block of some space of a rank: [first, last) of `of` parts.
struct Location {
    std::uint32_t block = 0;
    std::uint16_t first = 0;
    std::uint16_t last = 1;
    std::uint16_t of = 1;
};

inline Location location_of(const Slice &slice)
{
    return Location{slice.block, slice.first, slice.last, slice.of};
}

// Whether point a / of_a of a block comes before point b / of_b.
inline bool before(std::uint32_t a, std::uint32_t of_a, std::uint32_t b, std::uint32_t of_b)
{
    return std::uint64_t{a} * of_b < std::uint64_t{b} * of_a;
}

// Ascending by block, and in a block by its beginning.
inline bool operator<(const Location &a, const Location &b)
{
    if (a.block != b.block) {
        return a.block < b.block;
    }
    if (before(a.first, a.of, b.first, b.of) || before(b.first, b.of, a.first, a.of)) {
        return before(a.first, a.of, b.first, b.of);
    }
    return before(a.last, a.of, b.last, b.of);
}

inline bool overlap(const Location &a, const Location &b)
{
    return a.block == b.block && before(a.first, a.of, b.last, b.of)
           && before(b.first, b.of, a.last, a.of);
}

// Whether two slices of single blocks are the same part of their blocks.
inline bool same_part(const Slice &a, const Slice &b)
{
    return !before(a.first, a.of, b.first, b.of) && !before(b.first, b.of, a.first, a.of)
           && !before(a.last, a.of, b.last, b.of) && !before(b.last, b.of, a.last, a.of);
}

// The point up to which intervals, given in their order, cover a block from some point on.
class Coverage {
public:
    explicit Coverage(const Location &wanted) : wanted_(wanted), end_(wanted.first), of_(wanted.of)
    {}
    void take(const Location &part)
    {
        if (!before(end_, of_, part.first, part.of) && before(end_, of_, part.last, part.of)) {
            end_ = part.last;
            of_ = part.of;
        }
    }
    bool complete() const { return !before(end_, of_, wanted_.last, wanted_.of); }

private:
    Location wanted_;
    std::uint32_t end_;
    std::uint32_t of_;
};

// The number of blocks that slices name; each block of a run counts.
inline std::size_t blocks_of(const std::vector<Slice> &slices)
{
    std::size_t blocks = 0;
    for (const Slice &slice : slices) {
        blocks += slice.count;
    }
    return blocks;
}

// Calls use(slice) for each block of a slice, as a slice of that block alone.
template <typename Use>
void for_each_block(const Slice &slice, const Use &use)
{
    Slice one = slice;
    one.count = 1;
    for (std::uint32_t i = 0; i < slice.count; ++i, ++one.block) {
        use(one);
    }
}

// Walks through the slices of an operation block by block.
class BlockWalk {
public:
    explicit BlockWalk(const std::vector<Slice> &slices) : slices_(slices) {}
    bool ended() const { return at_ == slices_.size(); }
    // The number of the slice that the next block belongs to.
    std::size_t slice() const { return at_; }
    bool in_run() const { return slices_[at_].count > 1; }
    Slice next()
    {
        Slice one = slices_[at_];
        one.block += done_;
        one.count = 1;
        if (++done_ == slices_[at_].count) {
            ++at_;
            done_ = 0;
        }
        return one;
    }

private:
    const std::vector<Slice> &slices_;
    std::size_t at_ = 0;
    std::uint32_t done_ = 0;
};

} // namespace nbrhood
