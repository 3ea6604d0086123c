// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Sets of positions in the result of an allgather, as ranges.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// Consecutive positions. A rank's position is the place of its block in the result
// (AllgatherShape).
struct PositionRange {
    Rank first = 0;
    Rank count = 0;
    Rank end() const { return first + count; }
};
inline bool operator==(const PositionRange &a, const PositionRange &b)
{
    return a.first == b.first && a.count == b.count;
}

// A set of positions: ranges in ascending order, none of which is empty or touches the next. Equal
// sets are equal lists, so both ends of a message list its blocks in one order.
class Positions {
public:
    Positions() = default;
    explicit Positions(PositionRange range) { add(range); }

    void add(PositionRange range);
    void add(const Positions &others);
    void remove(PositionRange range);

    bool empty() const { return ranges_.empty(); }
    std::size_t size() const { return ranges_.size(); }
    const PositionRange &operator[](std::size_t i) const { return ranges_[i]; }
    std::vector<PositionRange>::const_iterator begin() const { return ranges_.begin(); }
    std::vector<PositionRange>::const_iterator end() const { return ranges_.end(); }

    // The number of positions.
    std::size_t count() const;
    // Whether all positions of a range are in the set, and whether any is.
    bool covers(PositionRange range) const;
    bool meets(PositionRange range) const;

    // Part `number` of the set, divided into `shares` parts in ascending order.
    Positions share(std::size_t number, std::size_t shares) const;

    bool operator==(const Positions &other) const { return ranges_ == other.ranges_; }

private:
    // The first range that ends after a position.
    std::vector<PositionRange>::const_iterator behind(Rank position) const;

    std::vector<PositionRange> ranges_;
};

} // namespace nbrhood
