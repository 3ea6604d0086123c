// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Limit of the work in one turn, so that the program's own work goes on in between.
#pragma once

#include <cstdint>
#include <limits>

namespace nbrhood {

// A slice of work, in words of memory that are looked at, or what takes as long: some nanosecond
// each. Who works in slices ends one when it is used up, at the next place where that is simple,
// and goes on with another; what comes out does not depend on where it was cut.
class WorkSlice {
public:
    explicit WorkSlice(std::int64_t words) : left_(words) {}
    // One that is never used up.
    static WorkSlice endless() { return WorkSlice(std::numeric_limits<std::int64_t>::max()); }

    void spend(std::size_t words) { left_ -= static_cast<std::int64_t>(words); }
    bool used_up() const { return left_ <= 0; }

private:
    std::int64_t left_;
};

// Work of a builder in one superstep before it pauses (Step::pauses): about a millisecond.
constexpr std::int64_t kWorkOfATurn = 1 << 18;

} // namespace nbrhood
