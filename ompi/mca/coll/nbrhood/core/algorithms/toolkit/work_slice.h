// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A limit of the work in one turn, so that the application's work goes on in between.
#pragma once

#include <cstdint>
#include <limits>

namespace nbrhood {

// A slice of work, measured in words of memory that are read, or work that takes as long: about a
// nanosecond each. Work in slices stops at the next simple place after a slice is used up, and goes
// on with the next slice. Its result does not depend on the slices.
class WorkSlice {
public:
    explicit WorkSlice(std::int64_t words) : left_(words) {}
    // A slice that is never used up.
    static WorkSlice endless() { return WorkSlice(std::numeric_limits<std::int64_t>::max()); }

    void spend(std::size_t words) { left_ -= static_cast<std::int64_t>(words); }
    bool used_up() const { return left_ <= 0; }

private:
    std::int64_t left_;
};

// Work of a builder in one superstep before it pauses (Step::pauses): about a millisecond.
constexpr std::int64_t kWorkOfATurn = 1 << 18;

} // namespace nbrhood
