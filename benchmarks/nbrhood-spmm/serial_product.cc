// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "serial_product.h"

#include "values.h"

namespace nbrhood_tools::spmm {

namespace {

/// Adds `value` times row `row` of the right-hand matrix to a row of the product.
void add_row(const SparseRows &matrix, const Shape &shape, int row, double value, double *product)
{
    if (shape.right == Right::dense) {
        for (int column = 0; column < shape.width; ++column)
            product[column] += value * dense_value(row, column);
        return;
    }
    for (std::int64_t k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k) {
        const int column = matrix.columns[k];
        if (column < shape.width)
            product[column] += value * sparse_value(row, column);
    }
}

} // namespace

std::vector<double> serial_rows(const SparseRows &matrix, const Shape &shape, int first, int count)
{
    const auto width = static_cast<std::size_t>(shape.width);
    std::vector<double> product(static_cast<std::size_t>(count) * width, 0.0);
    for (int row = first; row < first + count; ++row)
        for (std::int64_t k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k)
            add_row(matrix, shape, matrix.columns[k], sparse_value(row, matrix.columns[k]),
                    product.data() + static_cast<std::size_t>(row - first) * width);
    return product;
}

} // namespace nbrhood_tools::spmm
