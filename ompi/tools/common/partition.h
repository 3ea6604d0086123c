// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The owners of rows, and the resulting messages between ranks.
#pragma once

#include "graph.h"
#include "sparse_rows.h"

#include <vector>

namespace nbrhood_tools {

/// Owner of each of `items` rows when they are cut into contiguous blocks, one per rank, whose
/// sizes differ by one at most, the larger ones first.
std::vector<int> striped_owners(int items, int ranks);

/// Owner of each vertex after METIS_PartGraphKway with a fixed seed. Throws InputError (reason
/// only, no file name).
std::vector<int> metis_owners(const SparseRows &mesh, int ranks);

/// The neighbourhood of every rank in a product of the matrix with a vector: the owner of a row
/// needs the entries of all columns in which the row is not zero. An edge's count is the number of
/// distinct entries. Neighbours are in ascending order of rank. In MPI programs called on rank 0
/// for `ranks` ranks.
std::vector<Neighbourhood> entries_needed(const SparseRows &matrix,
                                          const std::vector<int> &row_owner,
                                          const std::vector<int> &column_owner, int ranks);

} // namespace nbrhood_tools
