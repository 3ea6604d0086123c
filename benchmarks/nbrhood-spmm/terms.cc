// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "terms.h"

#include "values.h"

namespace nbrhood_tools::spmm {

namespace {

/// The terms for which `place_of(column)` is not negative.
template <typename PlaceOf>
Terms terms_where(const SparseRows &own, int first_row, const PlaceOf &place_of)
{
    Terms terms;
    for (int row = 0; row < own.rows; ++row) {
        for (std::int64_t k = own.row_start[row]; k < own.row_start[row + 1]; ++k) {
            const int column = own.columns[k];
            const int place = place_of(column);
            if (place < 0)
                continue;
            terms.places.push_back(place);
            terms.values.push_back(sparse_value(first_row + row, column));
        }
        terms.row_start.push_back(static_cast<std::int64_t>(terms.places.size()));
    }
    return terms;
}

} // namespace

ReceiveLayout::ReceiveLayout(const std::vector<int> &from, const Stripes &stripes, bool padded)
    : sources(from)
{
    for (int source : sources) {
        rows.push_back(padded ? stripes.largest() : stripes.size(source));
        first_row.push_back(all_rows);
        all_rows += rows.back();
    }
}

Terms own_terms(const SparseRows &own, int first_row, const Stripes &columns, int rank)
{
    const int first = columns.first(rank);
    const int end = first + columns.size(rank);
    return terms_where(own, first_row, [=](int column) {
        return column >= first && column < end ? column - first : -1;
    });
}

Terms received_terms(const SparseRows &own, int first_row, const Stripes &columns, int rank,
                     const ReceiveLayout &layout)
{
    std::vector<int> first_of(static_cast<std::size_t>(columns.ranks), -1);
    for (std::size_t i = 0; i < layout.sources.size(); ++i)
        first_of[static_cast<std::size_t>(layout.sources[i])] = layout.first_row[i];
    return terms_where(own, first_row, [&](int column) {
        const int owner = columns.owner(column);
        if (owner == rank)
            return -1;
        return first_of[static_cast<std::size_t>(owner)] + column - columns.first(owner);
    });
}

void add_products(const Terms &terms, const double *block, int columns, double *product)
{
    const std::size_t rows = terms.row_start.size() - 1;
    for (std::size_t row = 0; row < rows; ++row, product += columns) {
        for (std::int64_t k = terms.row_start[row]; k < terms.row_start[row + 1]; ++k) {
            const double value = terms.values[k];
            const double *factors = block + static_cast<std::ptrdiff_t>(terms.places[k]) * columns;
            for (int column = 0; column < columns; ++column)
                product[column] += value * factors[column];
        }
    }
}

} // namespace nbrhood_tools::spmm
