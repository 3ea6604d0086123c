// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Properties of the structure of every matrix and mesh that is read.
#pragma once

#include "fuzz_target.h"

#include "common/sparse_rows.h"

namespace nbrhood_fuzz {

inline void check_rows(const nbrhood_tools::SparseRows &matrix)
{
    const auto rows = static_cast<std::size_t>(matrix.rows);
    demand(matrix.rows >= 1 && matrix.columns_total >= 1, "a matrix has rows and columns");
    demand(matrix.row_start.size() == rows + 1 && matrix.row_start.front() == 0
               && matrix.row_start.back() == static_cast<std::int64_t>(matrix.columns.size()),
           "the rows hold all entries");
    for (std::size_t row = 0; row < rows; ++row) {
        demand(matrix.row_start[row] <= matrix.row_start[row + 1], "rows follow each other");
    }
    for (const int column : matrix.columns) {
        demand(column >= 0 && column < matrix.columns_total, "an entry lies in the matrix");
    }
}

} // namespace nbrhood_fuzz
