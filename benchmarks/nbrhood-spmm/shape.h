// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The factors of a product, and its blocks of columns.
#pragma once

#include <cstddef>

namespace nbrhood_tools::spmm {

/// The matrix on the right: a dense one, or the sparse one itself, whose columns are gathered as
/// dense ones, as in both papers.
enum class Right { dense, matrix };

/// The columns of the matrix on the right, in blocks: one call gathers one block. All blocks are
/// stored with the same number of columns; the surplus columns of the last one are zero.
struct Shape {
    Right right = Right::dense;
    int width = 1;         ///< columns of the product
    int block_columns = 1; ///< columns of a block, at most `width`

    int blocks() const { return (width + block_columns - 1) / block_columns; }
    /// The number of stored columns.
    std::size_t stored_width() const
    {
        return static_cast<std::size_t>(blocks()) * static_cast<std::size_t>(block_columns);
    }
};

} // namespace nbrhood_tools::spmm
