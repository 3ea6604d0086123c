// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The algorithms of MPI_Allgather: one row each.
#pragma once

#include <vector>

#include "allgather/operations.h"

namespace nbrhood {

struct AllgatherAlgorithm {
    const char *name;
    const char *summary; // one sentence without a full stop, for parameters
    // One rank's pattern. No communication: all ranks know the shape. Throws std::bad_alloc.
    AllgatherPattern (*make)(const AllgatherShape &shape, Rank rank);
};

// In the order of their numbers.
const std::vector<AllgatherAlgorithm> &allgather_algorithms();

} // namespace nbrhood
