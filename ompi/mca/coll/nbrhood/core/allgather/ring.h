// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The ring: each rank passes on the block that came last.
#pragma once

#include "allgather/operations.h"

namespace nbrhood {

// Each block goes around in the order of ranks, in p - 1 messages (Chan et al. 2007; section 2 of
// Bienz, Gautam, Kharel 2022).
AllgatherPattern ring(const AllgatherShape &shape, Rank rank);

} // namespace nbrhood
