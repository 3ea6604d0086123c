// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The product computed by one process from the whole matrix, the reference for the product of all
// ranks. Without MPI.
#pragma once

#include "shape.h"

#include "common/sparse_rows.h"

#include <vector>

namespace nbrhood_tools::spmm {

/// Rows `first` to `first + count - 1` of the product, row after row with shape.width columns each.
std::vector<double> serial_rows(const SparseRows &matrix, const Shape &shape, int first, int count);

} // namespace nbrhood_tools::spmm
