// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Meshes in METIS graph format.
#pragma once

#include "sparse_rows.h"

#include <string>

namespace nbrhood_tools {

/// Reads a METIS graph file, gzipped or not. Weights are checked and ignored: only the structure is
/// used. In MPI programs called on rank 0. Throws InputError with the file, the line and the
/// reason.
SparseRows read_metis_graph(const std::string &path);

/// The same for the text of a file, which `path` names in messages.
SparseRows parse_metis_graph(const std::string &text, const std::string &path);

} // namespace nbrhood_tools
