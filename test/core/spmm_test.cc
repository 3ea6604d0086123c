// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The multiplication of nbrhood-spmm: the stripes that ranks compute, with the rows of others in
// the places where a call would put them, equal the product that one process computes.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "common/partition.h"
#include "nbrhood-spmm/serial_product.h"
#include "nbrhood-spmm/terms.h"
#include "nbrhood-spmm/values.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::SparseRows;
using nbrhood_tools::spmm::ReceiveLayout;
using nbrhood_tools::spmm::Right;
using nbrhood_tools::spmm::Shape;
using nbrhood_tools::spmm::Stripes;
using nbrhood_tools::spmm::Terms;

/// Some rows are empty, and some columns.
SparseRows random_matrix(int rows, int columns, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    SparseRows matrix;
    matrix.rows = rows;
    matrix.columns_total = columns;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column)
            if (row % 7 != 3 && column % 5 != 2 && random() % 4 == 0)
                matrix.columns.push_back(column);
        matrix.row_start.push_back(static_cast<std::int64_t>(matrix.columns.size()));
    }
    return matrix;
}

SparseRows rows_of(const SparseRows &matrix, int first, int count)
{
    SparseRows own;
    own.rows = count;
    own.columns_total = matrix.columns_total;
    for (int row = first; row < first + count; ++row) {
        own.columns.insert(own.columns.end(), matrix.columns.begin() + matrix.row_start[row],
                           matrix.columns.begin() + matrix.row_start[row + 1]);
        own.row_start.push_back(static_cast<std::int64_t>(own.columns.size()));
    }
    return own;
}

/// The right-hand matrix in one process; `width` columns in each row.
std::vector<double> right_rows(const SparseRows &matrix, Right right, int width)
{
    std::vector<double> rows(static_cast<std::size_t>(matrix.columns_total * width));
    for (int row = 0; row < matrix.columns_total; ++row)
        for (int column = 0; column < width; ++column)
            if (right == Right::dense)
                rows[row * width + column] = nbrhood_tools::spmm::dense_value(row, column);
    for (int row = 0; right == Right::matrix && row < matrix.rows; ++row)
        for (auto k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k)
            if (matrix.columns[k] < width)
                rows[row * width + matrix.columns[k]] =
                    nbrhood_tools::spmm::sparse_value(row, matrix.columns[k]);
    return rows;
}

/// The result of a rank whose calls have delivered every row to its place in the layout.
std::vector<double> product_of_rank(const SparseRows &matrix, const Shape &shape, int ranks,
                                    int rank, bool padded, bool everyone)
{
    const Stripes rows{matrix.rows, ranks};
    const Stripes columns{matrix.columns_total, ranks};
    const SparseRows own = rows_of(matrix, rows.first(rank), rows.size(rank));
    std::set<int> needed;
    for (int column : own.columns)
        if (columns.owner(column) != rank)
            needed.insert(columns.owner(column));
    for (int other = 0; everyone && other < ranks; ++other)
        needed.insert(other);
    const ReceiveLayout layout({needed.begin(), needed.end()}, columns, padded);
    const std::vector<double> right = right_rows(matrix, shape.right, shape.width);
    const auto width = static_cast<std::size_t>(shape.width);
    std::vector<double> received(static_cast<std::size_t>(layout.all_rows) * width, 1e9);
    for (std::size_t i = 0; i < layout.sources.size(); ++i) {
        const int source = layout.sources[i];
        std::copy_n(right.begin() + columns.first(source) * shape.width,
                    columns.size(source) * shape.width,
                    received.begin() + layout.first_row[i] * shape.width);
    }
    std::vector<double> product(static_cast<std::size_t>(rows.size(rank)) * width, 0.0);
    nbrhood_tools::spmm::add_products(
        nbrhood_tools::spmm::own_terms(own, rows.first(rank), columns, rank),
        right.data() + columns.first(rank) * shape.width, shape.width, product.data());
    nbrhood_tools::spmm::add_products(
        nbrhood_tools::spmm::received_terms(own, rows.first(rank), columns, rank, layout),
        received.data(), shape.width, product.data());
    return product;
}

TEST(Spmm, StripesAreThoseOfThePartition)
{
    for (int rows : {1, 5, 16, 17, 31, 100}) {
        for (int ranks = 1; ranks <= rows; ++ranks) {
            const Stripes stripes{rows, ranks};
            const std::vector<int> owners = nbrhood_tools::striped_owners(rows, ranks);
            int next = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                EXPECT_EQ(stripes.first(rank), next);
                EXPECT_LE(stripes.size(rank), stripes.largest());
                next += stripes.size(rank);
            }
            ASSERT_EQ(next, rows);
            for (int row = 0; row < rows; ++row)
                ASSERT_EQ(stripes.owner(row), owners[row]) << row << " of " << rows;
        }
    }
}

TEST(Spmm, RanksTogetherComputeTheSerialProduct)
{
    for (const auto &[rows, columns] : {std::pair(23, 23), std::pair(16, 16), std::pair(9, 30)}) {
        const SparseRows matrix = random_matrix(rows, columns, 1);
        for (const Shape &shape : {Shape{Right::dense, 6, 6}, Shape{Right::matrix, 9, 9}}) {
            if (shape.right == Right::matrix && rows != columns)
                continue;
            for (int ranks : {1, 2, 4, 9}) {
                for (int rank = 0; rank < ranks; ++rank) {
                    const Stripes stripes{rows, ranks};
                    const std::vector<double> serial = nbrhood_tools::spmm::serial_rows(
                        matrix, shape, stripes.first(rank), stripes.size(rank));
                    for (bool padded : {false, true})
                        for (bool everyone : {false, true})
                            EXPECT_EQ(product_of_rank(matrix, shape, ranks, rank, padded, everyone),
                                      serial)
                                << rows << " rows, rank " << rank << " of " << ranks;
                }
            }
        }
    }
}

// Computed by the definition, entry by entry.
TEST(Spmm, TheSerialProductIsTheProduct)
{
    const SparseRows matrix = random_matrix(12, 12, 2);
    for (const Shape &shape : {Shape{Right::dense, 5, 5}, Shape{Right::matrix, 12, 12}}) {
        const std::vector<double> right = right_rows(matrix, shape.right, shape.width);
        const std::vector<double> serial = nbrhood_tools::spmm::serial_rows(matrix, shape, 0, 12);
        for (int row = 0; row < 12; ++row) {
            for (int column = 0; column < shape.width; ++column) {
                double sum = 0;
                for (auto k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k)
                    sum += nbrhood_tools::spmm::sparse_value(row, matrix.columns[k])
                           * right[matrix.columns[k] * shape.width + column];
                EXPECT_EQ(serial[row * shape.width + column], sum);
            }
        }
    }
}

TEST(Spmm, BlocksCoverTheWidth)
{
    for (int width = 1; width <= 20; ++width) {
        for (int block_columns = 1; block_columns <= width; ++block_columns) {
            const Shape shape{Right::dense, width, block_columns};
            const auto stored = static_cast<int>(shape.stored_width());
            EXPECT_GE(stored, width);
            EXPECT_LT(stored - width, block_columns);
        }
    }
}

} // namespace
} // namespace nbrhood::test
