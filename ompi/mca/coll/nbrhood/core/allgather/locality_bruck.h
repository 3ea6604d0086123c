// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Bruck's allgather, plain and locality-aware.
#pragma once

#include <vector>

#include "allgather/operations.h"

namespace nbrhood {

// bruck: Bruck et al. (1997) in the order of ranks, as in algorithm 1 of Bienz, Gautam, Kharel: A
// Locality-Aware Bruck Allgather (2022). The number of ranks need not be a power of two.
AllgatherPattern bruck(const AllgatherShape &shape, Rank rank);

// locality_bruck: their algorithm 2, for regions of any number and sizes, and with further levels
// by recursion (section 3). A rank sends log_k(regions) messages between regions. k is at most the
// number of ranks of a region plus one, since the first rank, which idles in the paper, exchanges,
// too (with FirstRank::idles: at most the number of ranks); it is the least number that gives the
// fewest steps. If a region has more ranks than exchanges in a step, several ranks share one
// (lanes, as in Träff and Hunold: Decomposing Collectives for Exploiting Multi-lane Communication,
// 2020). With FirstRank::idles they do not, as in the paper.
AllgatherPattern locality_bruck(const AllgatherShape &shape, Rank rank);

// Lists the operations of an allgather among the ranks at [group.first, group.end()): the rank at
// group.first + i contributes pieces[i], which may be empty. It follows the levels from this one
// on, and ends with plain Bruck. Only ranks of the group call it.
void gather_pieces(AllgatherOperations &operations, const AllgatherShape &shape,
                   PositionRange group, std::vector<Positions> pieces, std::size_t level);

// The factor by which a step multiplies the number of regions whose data a region has, for regions
// of `ranks` ranks on average: k of locality_bruck (the paper's p_l).
Rank step_radix(Rank regions, Rank ranks, FirstRank first_rank);

} // namespace nbrhood
