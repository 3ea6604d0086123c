// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/positions.h"

#include <algorithm>
#include <numeric>

namespace nbrhood {

std::vector<PositionRange>::const_iterator Positions::behind(Rank position) const
{
    return std::upper_bound(
        ranges_.begin(), ranges_.end(), position,
        [](Rank wanted, const PositionRange &range) { return wanted < range.end(); });
}

void Positions::add(PositionRange range)
{
    if (range.count == 0) {
        return;
    }
    if (ranges_.empty() || ranges_.back().end() < range.first) { // mostly they come in order
        ranges_.push_back(range);
        return;
    }
    // Merge the ranges that it touches.
    const auto first = behind(range.first - 1);
    auto last = first;
    Rank begin = range.first;
    Rank end = range.end();
    for (; last != ranges_.end() && last->first <= end; ++last) {
        begin = std::min(begin, last->first);
        end = std::max(end, last->end());
    }
    const auto at = ranges_.erase(first, last);
    ranges_.insert(at, PositionRange{begin, end - begin});
}

void Positions::add(const Positions &others)
{
    if (ranges_.empty()) {
        ranges_ = others.ranges_;
        return;
    }
    for (const PositionRange &range : others.ranges_) {
        add(range);
    }
}

void Positions::remove(PositionRange range)
{
    std::vector<PositionRange> left;
    for (const PositionRange &own : ranges_) {
        const Rank before = std::min(own.end(), range.first);
        const Rank after = std::max(own.first, range.end());
        if (own.first < before) {
            left.push_back(PositionRange{own.first, before - own.first});
        }
        if (after < own.end()) {
            left.push_back(PositionRange{after, own.end() - after});
        }
    }
    ranges_ = std::move(left);
}

std::size_t Positions::count() const
{
    return std::accumulate(ranges_.begin(), ranges_.end(), std::size_t{0},
                           [](std::size_t sum, const PositionRange &range) {
                               return sum + static_cast<std::size_t>(range.count);
                           });
}

bool Positions::covers(PositionRange range) const
{
    const auto at = behind(range.first);
    return range.count == 0
           || (at != ranges_.end() && at->first <= range.first && range.end() <= at->end());
}

bool Positions::meets(PositionRange range) const
{
    const auto at = behind(range.first);
    return at != ranges_.end() && at->first < range.end();
}

Positions Positions::share(std::size_t number, std::size_t shares) const
{
    const std::size_t all = count();
    std::size_t first = all * number / shares;
    std::size_t left = all * (number + 1) / shares - first;
    Positions result;
    for (const PositionRange &range : ranges_) {
        const auto length = static_cast<std::size_t>(range.count);
        const std::size_t skipped = std::min(first, length);
        const std::size_t taken = std::min(left, length - skipped);
        result.add(
            PositionRange{range.first + static_cast<Rank>(skipped), static_cast<Rank>(taken)});
        first -= skipped;
        left -= taken;
    }
    return result;
}

} // namespace nbrhood
