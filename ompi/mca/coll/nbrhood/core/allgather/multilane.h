// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// All ranks of a region at work, each on a lane of its own.
#pragma once

#include "allgather/operations.h"

namespace nbrhood {

// The i-th ranks of all regions exchange their blocks as in Bruck's allgather, and then each region
// does so with what its ranks have (Träff, Hunold: Decomposing MPI Collectives for Exploiting
// Multi-lane Communication, 2020). Where regions differ in size there are as many lanes as the
// largest has ranks, and the ranks of smaller ones have several.
AllgatherPattern multilane(const AllgatherShape &shape, Rank rank);

} // namespace nbrhood
