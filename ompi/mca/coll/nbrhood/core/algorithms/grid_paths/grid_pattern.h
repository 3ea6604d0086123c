// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The pattern of one rank of a grid in which blocks travel along the dimensions.
#pragma once

#include "algorithms/grid_paths/grid_shape.h"
#include "pattern/pattern.h"

namespace nbrhood {

// The pattern of a rank whose neighbours are those of the grid, for blocks one per rank. Blocks
// that are passed on lie in staging in the order of their offsets from the rank; the offset in the
// first dimension of travel varies fastest. So the blocks that a rank passes on along a dimension
// are contiguous at both ends: messages are sent and received without copies, and each block is
// copied to its slot once. Blocks of the last stage go to their slots directly. Throws
// std::out_of_range if the neighbours are not those of the grid.
Pattern grid_pattern(const Neighbourhood &neighbourhood, const Grid &grid);

} // namespace nbrhood
