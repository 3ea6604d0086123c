// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The sparse matrix, in stripes of rows.
#pragma once

#include "shape.h"
#include "stripes.h"

#include "common/sparse_rows.h"
#include "measuring/graph_facts.h"
#include "measuring/mpi_headers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools::spmm {

/// One rank's part of a matrix, and the rows that it needs from others for a product.
struct Matrix {
    std::string file;
    std::string name; ///< without directories
    int rank = 0;
    std::int64_t entries = 0; ///< of the whole matrix; for a symmetric one in both triangles
    Stripes rows;             ///< of this matrix and of the product
    Stripes columns;          ///< of this matrix, equal to the rows of the right-hand matrix

    SparseRows own; ///< this rank's rows; columns are those of the whole matrix
    /// The ranks whose rows this rank needs, and the ranks that need its rows. Entries are rows.
    Neighbourhood edges;
    GraphFacts facts;
    SparseRows whole; ///< on rank 0, empty elsewhere
};

/// Reads a MatrixMarket file on rank 0 and hands out its rows. Collective over `comm`. Throws
/// InputError on every rank if the file is unusable, a rank would have no row, or no rank needs
/// rows of another.
Matrix load_matrix(const std::string &file, MPI_Comm comm);

/// Refuses products that would not fit into memory or MPI's counts, or factors that cannot be
/// multiplied: throws InputError on every rank.
void check_shape(const Matrix &matrix, const Shape &shape);

/// This rank's rows of the product, computed by rank 0 alone. Collective over `comm`.
std::vector<double> expected_rows(const Matrix &matrix, const Shape &shape, MPI_Comm comm);

} // namespace nbrhood_tools::spmm
