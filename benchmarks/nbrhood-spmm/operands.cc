// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "operands.h"

#include "values.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace nbrhood_tools::spmm {

namespace {

constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();

/// Compares bits: equal numbers may differ in their bits, and unwritten ones (NaN) never compare as
/// equal.
bool same_bits(double one, double other)
{
    return std::memcmp(&one, &other, sizeof one) == 0;
}

std::ptrdiff_t values_of(int rows, int columns)
{
    return static_cast<std::ptrdiff_t>(rows) * columns;
}

} // namespace

Operands::Operands(const Matrix &matrix, const Shape &shape, std::vector<double> expected)
    : matrix_(matrix), shape_(shape),
      block_values_(values_of(matrix.columns.largest(), shape.block_columns)),
      product_values_(values_of(matrix.rows.size(matrix.rank), shape.block_columns)),
      expected_(std::move(expected)),
      right_(static_cast<std::size_t>(block_values_ * shape.blocks()), 0.0),
      received_(static_cast<std::size_t>(block_values_ * matrix.columns.ranks) + 2),
      product_(static_cast<std::size_t>(product_values_ * shape.blocks()))
{
    const int first = matrix.columns.first(matrix.rank);
    const int rows = matrix.columns.size(matrix.rank);
    for (int row = 0; row < rows; ++row) {
        if (shape.right == Right::dense) {
            for (int column = 0; column < shape.width; ++column)
                *place_on_the_right(row, column) = dense_value(first + row, column);
            continue;
        }
        // The matrix is square, so its rows are divided like its columns.
        for (std::int64_t k = matrix.own.row_start[row]; k < matrix.own.row_start[row + 1]; ++k) {
            const int column = matrix.own.columns[k];
            if (column < shape.width)
                *place_on_the_right(row, column) = sparse_value(first + row, column);
        }
    }
}

double *Operands::place_on_the_right(int row, int column)
{
    const int block = column / shape_.block_columns;
    return right_.data() + block * block_values_ + values_of(row, shape_.block_columns)
           + column % shape_.block_columns;
}

void Operands::fill(std::uint64_t round)
{
    if (factor_ != factor_of(round)) {
        // Both steps are exact: values are small integers times factor_.
        for (double &value : right_)
            value = value / factor_ * factor_of(round);
        factor_ = factor_of(round);
    }
    std::fill(received_.begin(), received_.end(), unwritten);
    std::fill(product_.begin(), product_.end(), unwritten);
}

std::size_t Operands::check(std::uint64_t round, int received_rows, std::string &first) const
{
    std::size_t wrong = 0;
    const auto compare = [&](double got, double expected, const auto &where) {
        if (same_bits(got, expected))
            return;
        if (wrong == 0)
            first =
                where() + ": expected " + std::to_string(expected) + ", got " + std::to_string(got);
        wrong += sizeof(double);
    };
    compare(received_.front(), unwritten, [] { return std::string("before the rows received"); });
    const auto behind = 1 + values_of(received_rows, shape_.block_columns);
    for (auto value = received_.begin() + behind; value != received_.end(); ++value)
        compare(*value, unwritten, [] { return std::string("behind the rows received"); });

    const int first_row = matrix_.rows.first(matrix_.rank);
    std::size_t next = 0;
    for (int row = 0; row < matrix_.rows.size(matrix_.rank); ++row) {
        for (int column = 0; column < shape_.width; ++column) {
            const int block = column / shape_.block_columns;
            const std::ptrdiff_t place = block * product_values_
                                         + values_of(row, shape_.block_columns)
                                         + column % shape_.block_columns;
            compare(product_[static_cast<std::size_t>(place)], expected_[next++] * factor_of(round),
                    [&] {
                        return "row " + std::to_string(first_row + row) + ", column "
                               + std::to_string(column) + " of the product";
                    });
        }
    }
    return wrong;
}

} // namespace nbrhood_tools::spmm
