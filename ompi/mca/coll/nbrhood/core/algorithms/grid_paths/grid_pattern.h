// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Pattern of one rank of a grid, in which blocks travel along the dimensions.
#pragma once

#include "algorithms/grid_paths/grid_shape.h"
#include "pattern/pattern.h"

namespace nbrhood {

// The pattern of a rank whose neighbours are those that the grid gives it, for blocks one per rank.
// What is passed on lies in staging in the order of the offsets from the rank, those in the first
// dimension that blocks travel along the fastest. So what a rank passes on along a dimension lies
// together there, whatever brought it, and so it arrives: messages are sent and received as they
// lie, and each block is copied to its slot once. What comes in the last stage goes to slots at
// once. Throws std::out_of_range where the neighbours are others.
Pattern grid_pattern(const Neighbourhood &neighbourhood, const Grid &grid);

} // namespace nbrhood
