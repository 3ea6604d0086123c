// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Bruck's allgather, plain and locality-aware.
#pragma once

#include <vector>

#include "allgather/operations.h"

namespace nbrhood {

// bruck: Bruck et al. (1997) in the order of ranks, as Bienz, Gautam, Kharel: A Locality-Aware
// Bruck Allgather (2022), algorithm 1, has it; no need for a number of ranks that is a power of
// two.
AllgatherPattern bruck(const AllgatherShape &shape, Rank rank);

// locality_bruck: their algorithm 2, for regions of any number and sizes, and with further levels
// by recursion (section 3). A rank's messages between regions are log_k(regions), k being the least
// number with which the steps are as few as possible: with one more than the ranks of a region, as
// the first one, idle in the paper, exchanges, too; or, with FirstRank::idles, with their
// number. Where a region has more ranks than exchanges in a step, several share one (lanes, as in
// Träff and Hunold: Decomposing Collectives for Exploiting Multi-lane Communication, 2020), but not
// with FirstRank::idles, which is the paper's way.
AllgatherPattern locality_bruck(const AllgatherShape &shape, Rank rank);

// Lists the operations by which the ranks at [group.first, group.end()) all get what each of them
// has: pieces[i] of the rank at group.first + i; some may have nothing. It follows the levels from
// this one on, and ends with plain Bruck. For ranks of the group only.
void gather_pieces(AllgatherOperations &operations, const AllgatherShape &shape,
                   PositionRange group, std::vector<Positions> pieces, std::size_t level);

// The regions whose data a region of `ranks` ranks in the mean has after a step, for each whose
// data it had before: k of locality_bruck (the paper's p_l).
Rank step_radix(Rank regions, Rank ranks, FirstRank first_rank);

} // namespace nbrhood
