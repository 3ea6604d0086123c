// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proof and counts of the patterns of allgathers, by ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allgather/operations.h"

namespace nbrhood {

// Runs the patterns of all ranks, patterns[r] that of rank r, on sets of positions: a position can
// hold no other block than the one that belongs there, since both ends of a message name the same
// positions. Returns what is wrong, one sentence each (at most 20), or nothing where the patterns
// are proved: each send has its receive, with the same positions, in the order of the pair; no rank
// sends what it does not have; nothing waits forever; each rank ends with all blocks, and gets each
// once. Used by the tests and by tools.
std::vector<std::string> prove_allgather(const std::vector<AllgatherPattern> &patterns,
                                         const AllgatherShape &shape);

// What ranks send in one allgather, by what the messages cross: of the rank with the most, each
// number for itself, and of all.
struct AllgatherCounts {
    struct Side {
        std::int64_t messages = 0;
        std::int64_t blocks = 0;
    };
    Side most_local, most_nonlocal;
    Side all_local, all_nonlocal;
};
AllgatherCounts count_allgather(const std::vector<AllgatherPattern> &patterns,
                                const Machine &machine);

} // namespace nbrhood
