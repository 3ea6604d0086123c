// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Times exchanges of many shapes.
#pragma once

#include "layout.h"

#include <vector>

namespace nbrhood_tools::calibrate {

/// One shape with all its samples: seconds an exchange, slowest rank, one sample from each pass.
struct Series {
    Shape shape;
    int calls = 1; ///< exchanges in a sample
    std::vector<double> samples;
};

/// The shapes that a calibration measures. The same on all ranks of a node.
std::vector<Shape> planned_shapes(const Layout &layout);

/// Measures `shapes` in passes over all of them, so that a temporary disturbance of the machine
/// affects all equally, for about `seconds`, but at least three passes. Reports progress on rank
/// 0's stderr. Collective over `comm`; the same result on every rank.
std::vector<Series> measure(const Layout &layout, const std::vector<Shape> &shapes, double seconds,
                            MPI_Comm comm);

} // namespace nbrhood_tools::calibrate
