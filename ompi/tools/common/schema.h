// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The version of the JSON files of all programs here, which result_files.py has, too.
#pragma once

namespace nbrhood_tools {

/// The field "schema_version". It is raised when a field changes its name or meaning; readers
/// refuse versions that they do not know.
constexpr int schema_version = 1;

} // namespace nbrhood_tools
