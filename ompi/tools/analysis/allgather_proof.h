// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proof and counts of the patterns of allgathers, by ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allgather/operations.h"

namespace nbrhood {

// Runs the patterns of all ranks (patterns[r] belongs to rank r) on sets of positions. Sets are
// enough: both ends of a message name the same positions, so a position can hold only its own
// block. Returns the errors, one sentence each (at most 20), or nothing if the patterns are proved:
// each send has its receive, with the same positions, in the order of the pair; no rank sends a
// block that it does not have; nothing waits forever; each rank ends with all blocks, and gets each
// once. Used by the tests and by tools.
std::vector<std::string> prove_allgather(const std::vector<AllgatherPattern> &patterns,
                                         const AllgatherShape &shape);

// The messages of one allgather, by the links that they cross: the maximum over all ranks, for each
// number by itself, and the total.
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
