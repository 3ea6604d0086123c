// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One leader for each region.
#pragma once

#include "allgather/operations.h"

namespace nbrhood {

// The blocks of a region go to its first rank; the first ranks exchange them as in Bruck's
// allgather; each sends the result to its region (Träff: Efficient Allgather for Regular
// SMP-Clusters, 2006). Messages inside a region follow a binomial tree. If ranks share cores, each
// message costs a context switch. Then the first ranks gather and broadcast along a binomial tree,
// too, and each region in one step: with p ranks 2(p - 1) messages in total, the fewest that an
// allgather can have.
AllgatherPattern hierarchical(const AllgatherShape &shape, Rank rank);

} // namespace nbrhood
