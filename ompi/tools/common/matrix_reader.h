// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// MatrixMarket files.
#pragma once

#include "sparse_rows.h"

#include <string>

namespace nbrhood_tools {

/// Reads the structure of a sparse MatrixMarket file (any field; symmetric ones are expanded to all
/// their entries). In MPI programs called on rank 0. Throws InputError with the file, the line if
/// it is known, and the reason.
SparseRows read_matrix_market(const std::string &path);

/// The same for the text of a file, which `path` names in messages.
SparseRows parse_matrix_market(std::string text, const std::string &path);

} // namespace nbrhood_tools
