// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// All ranks of a region take part, each on a lane of its own.
#pragma once

#include "allgather/operations.h"

namespace nbrhood {

// The i-th ranks of all regions exchange their blocks as in Bruck's allgather, then the ranks of
// each region exchange the results in the same way (Träff, Hunold: Decomposing MPI Collectives for
// Exploiting Multi-lane Communication, 2020). If regions differ in size, there are as many lanes as
// the largest region has ranks, and the ranks of smaller regions have several lanes.
AllgatherPattern multilane(const AllgatherShape &shape, Rank rank);

} // namespace nbrhood
