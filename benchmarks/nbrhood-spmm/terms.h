// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The multiplication on one rank. Without MPI.
#pragma once

#include "stripes.h"

#include "common/sparse_rows.h"

#include <cstdint>
#include <vector>

namespace nbrhood_tools::spmm {

/// The places of other ranks' rows in the buffer that a gathering call fills.
struct ReceiveLayout {
    std::vector<int> sources;   ///< the sources, in the order of the call's blocks
    std::vector<int> rows;      ///< from each, with padding
    std::vector<int> first_row; ///< of each, in the buffer
    int all_rows = 0;

    /// Equal blocks of the largest stripe (`padded`, for allgather), or the rows that each source
    /// owns.
    ReceiveLayout(const std::vector<int> &sources, const Stripes &stripes, bool padded);
};

/// Part of a rank's rows of the sparse matrix: the terms that each adds to a row of the product.
/// Entry k is values[k] times row places[k] of a block.
struct Terms {
    std::vector<std::int64_t> row_start{0};
    std::vector<int> places;
    std::vector<double> values;
};

/// The terms whose rows of the right-hand matrix the rank itself owns; places are relative to the
/// first of these rows. `own` has the rank's rows of the sparse matrix, which begin with
/// `first_row`.
Terms own_terms(const SparseRows &own, int first_row, const Stripes &columns, int rank);

/// The other terms; places are those in the buffer of `layout`, whose sources include the owners of
/// all their rows.
Terms received_terms(const SparseRows &own, int first_row, const Stripes &columns, int rank,
                     const ReceiveLayout &layout);

/// Adds the terms, with the rows of `block` (row after row, `columns` in each), to the rows of
/// `product`, which have as many columns.
void add_products(const Terms &terms, const double *block, int columns, double *product);

} // namespace nbrhood_tools::spmm
