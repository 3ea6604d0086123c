// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The exchanges of a hierarchy dealt to more ranks than the run has, for nbrhood-explain.
#pragma once

#include "hierarchy.h"

#include <string>

namespace nbrhood_tools::amg {

/// Writes DIRECTORY/level-K.mtx for each level on which the parts exchange anything. The points of
/// the grid are dealt to the rectangles of `parts`; a row of a coarse level belongs to the part of
/// its fine row. Row r of a file has the entries of the vector that part r needs and does not own.
/// Each part has an equally long range of columns, whose first ones are its rows, so that equal
/// stripes, one for each of parts.ranks() ranks, are the parts (matrix: of nbrhood-explain).
/// Collective over `comm`. Throws InputError on every rank if a file cannot be written.
void export_parts(const std::string &directory, const Hierarchy &hierarchy, const Problem &problem,
                  const Problem &parts, MPI_Comm comm);

} // namespace nbrhood_tools::amg
