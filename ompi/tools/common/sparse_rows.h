// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The structure of a sparse matrix or mesh, by rows: the common result of the readers.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood_tools {

/// Positions of the nonzeros, numbered from 0. Row r has columns[row_start[r]] ..
/// columns[row_start[r + 1] - 1].
struct SparseRows {
    int rows = 0;
    int columns_total = 0;
    std::vector<std::int64_t> row_start{0};
    std::vector<int> columns;
};

} // namespace nbrhood_tools
