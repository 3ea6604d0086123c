// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One leader for each region.
#pragma once

#include "allgather/operations.h"

namespace nbrhood {

// A region's blocks go to its first rank, these exchange what they have as in Bruck's allgather,
// and each tells its region (Träff: Efficient Allgather for Regular SMP-Clusters, 2006). Inside a
// region along a binomial tree. Where ranks share cores each message costs a change of processes:
// the first ranks gather and tell along a binomial tree, too, which with p ranks makes 2(p - 1)
// messages in all, the fewest that an allgather can have; and each region does so in one step.
AllgatherPattern hierarchical(const AllgatherShape &shape, Rank rank);

} // namespace nbrhood
