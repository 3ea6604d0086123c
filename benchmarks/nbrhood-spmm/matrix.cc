// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "matrix.h"

#include "serial_product.h"

#include "common/error.h"
#include "common/matrix_reader.h"
#include "measuring/agreement.h"

#include <algorithm>
#include <new>

namespace nbrhood_tools::spmm {

namespace {

constexpr std::int64_t most_values = std::int64_t{1} << 27; // of one buffer of a rank: 1 GiB

SparseRows read_on_first(const std::string &file, int rank, MPI_Comm comm)
{
    SparseRows matrix;
    std::string failure;
    if (rank == 0) {
        try {
            matrix = read_matrix_market(file);
        } catch (const InputError &error) {
            failure = error.what();
        } catch (const std::bad_alloc &) {
            failure = file + ": not enough memory to read it";
        }
    }
    agree_on_failure(failure, comm);
    return matrix;
}

/// Hands out the rows of matrix.whole.
void scatter_rows(Matrix &matrix, MPI_Comm comm)
{
    const SparseRows &whole = matrix.whole;
    SparseRows &own = matrix.own;
    const int ranks = matrix.rows.ranks;
    std::vector<int> lengths; // of all rows
    std::vector<int> rows, first_rows, entries, first_entries;
    if (matrix.rank == 0) {
        for (int row = 0; row < whole.rows; ++row)
            lengths.push_back(static_cast<int>(whole.row_start[row + 1] - whole.row_start[row]));
        for (int rank = 0; rank < ranks; ++rank) {
            const int first = matrix.rows.first(rank);
            const int end = first + matrix.rows.size(rank);
            rows.push_back(end - first);
            first_rows.push_back(first);
            // At most most_entries of bounds.h.
            first_entries.push_back(static_cast<int>(whole.row_start[first]));
            entries.push_back(static_cast<int>(whole.row_start[end] - whole.row_start[first]));
        }
    }
    own.rows = matrix.rows.size(matrix.rank);
    own.columns_total = matrix.columns.rows;
    std::vector<int> own_lengths(static_cast<std::size_t>(own.rows));
    MPI_Scatterv(lengths.data(), rows.data(), first_rows.data(), MPI_INT, own_lengths.data(),
                 own.rows, MPI_INT, 0, comm);
    for (int length : own_lengths)
        own.row_start.push_back(own.row_start.back() + length);
    own.columns.resize(static_cast<std::size_t>(own.row_start.back()) + 1); // never a null pointer
    MPI_Scatterv(whole.columns.data(), entries.data(), first_entries.data(), MPI_INT,
                 own.columns.data(), static_cast<int>(own.row_start.back()), MPI_INT, 0, comm);
    own.columns.pop_back();
}

/// Each rank finds the ranks whose rows it needs, and tells them the number of rows.
Neighbourhood find_edges(const Matrix &matrix, MPI_Comm comm)
{
    const Stripes &columns = matrix.columns;
    std::vector<int> wanted(static_cast<std::size_t>(columns.ranks), 0);
    std::vector<bool> seen(static_cast<std::size_t>(columns.rows), false);
    for (int column : matrix.own.columns) {
        const int owner = columns.owner(column);
        if (owner != matrix.rank && !seen[static_cast<std::size_t>(column)])
            ++wanted[static_cast<std::size_t>(owner)];
        seen[static_cast<std::size_t>(column)] = true;
    }
    std::vector<int> given(wanted.size());
    MPI_Alltoall(wanted.data(), 1, MPI_INT, given.data(), 1, MPI_INT, comm);

    Neighbourhood edges;
    edges.own_entries = columns.size(matrix.rank);
    for (int other = 0; other < columns.ranks; ++other) {
        if (const int count = wanted[static_cast<std::size_t>(other)]; count > 0) {
            edges.sources.push_back(other);
            edges.source_counts.push_back(count);
            edges.source_own_entries.push_back(columns.size(other));
        }
        if (const int count = given[static_cast<std::size_t>(other)]; count > 0) {
            edges.destinations.push_back(other);
            edges.destination_counts.push_back(count);
        }
    }
    return edges;
}

} // namespace

Matrix load_matrix(const std::string &file, MPI_Comm comm)
{
    Matrix matrix;
    matrix.file = file;
    matrix.name = file.substr(file.find_last_of('/') + 1);
    int ranks = 0;
    MPI_Comm_rank(comm, &matrix.rank);
    MPI_Comm_size(comm, &ranks);
    matrix.whole = read_on_first(file, matrix.rank, comm);
    int sizes[] = {matrix.whole.rows, matrix.whole.columns_total,
                   static_cast<int>(matrix.whole.columns.size())};
    MPI_Bcast(sizes, 3, MPI_INT, 0, comm);
    matrix.rows = {sizes[0], ranks};
    matrix.columns = {sizes[1], ranks};
    matrix.entries = sizes[2];
    if (ranks > sizes[0] || ranks > sizes[1])
        throw InputError(file, 0,
                         "a matrix of " + std::to_string(sizes[0]) + " x "
                             + std::to_string(sizes[1]) + " cannot be cut into stripes for "
                             + std::to_string(ranks)
                             + " ranks; run it with at most as many ranks as it has rows and "
                               "columns");
    scatter_rows(matrix, comm);
    matrix.edges = find_edges(matrix, comm);
    matrix.facts = summarise(matrix.edges, comm);
    if (matrix.facts.edges == 0)
        throw InputError(file, 0, "no rank needs rows of another, there is nothing to measure");
    return matrix;
}

void check_shape(const Matrix &matrix, const Shape &shape)
{
    const Stripes &rows = matrix.rows;
    const Stripes &columns = matrix.columns;
    if (shape.right == Right::matrix && rows.rows != columns.rows)
        throw InputError(matrix.file, 0,
                         "a matrix of " + std::to_string(rows.rows) + " x "
                             + std::to_string(columns.rows)
                             + " cannot be multiplied with itself (--right matrix)");
    const auto stored = static_cast<std::int64_t>(shape.stored_width());
    const std::int64_t stripe = std::max(rows.largest(), columns.largest()) * stored;
    const std::int64_t gathered =
        std::int64_t{columns.largest()} * columns.ranks * shape.block_columns;
    if (stripe > most_values || gathered > most_values)
        throw InputError(matrix.file, 0,
                         "a product of " + std::to_string(shape.width) + " columns in blocks of "
                             + std::to_string(shape.block_columns)
                             + " takes more than 1 GiB for one buffer of a rank; choose fewer "
                               "--widths or --block-columns, or more ranks");
}

std::vector<double> expected_rows(const Matrix &matrix, const Shape &shape, MPI_Comm comm)
{
    const int rows = matrix.rows.size(matrix.rank);
    std::vector<double> expected;
    if (matrix.rank != 0) {
        expected.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape.width));
        MPI_Recv(expected.data(), static_cast<int>(expected.size()), MPI_DOUBLE, 0, 0, comm,
                 MPI_STATUS_IGNORE);
        return expected;
    }
    expected = serial_rows(matrix.whole, shape, 0, rows);
    for (int other = 1; other < matrix.rows.ranks; ++other) {
        const std::vector<double> theirs =
            serial_rows(matrix.whole, shape, matrix.rows.first(other), matrix.rows.size(other));
        MPI_Send(theirs.data(), static_cast<int>(theirs.size()), MPI_DOUBLE, other, 0, comm);
    }
    return expected;
}

} // namespace nbrhood_tools::spmm
