// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for programs.
#pragma once

#include "run.h"

#include <string>

namespace nbrhood_tools::spmm {

/// The text of the --json file. Times are in seconds. complete: whether the run has ended. Called
/// on rank 0.
std::string json_text(const Run &run, bool complete);

} // namespace nbrhood_tools::spmm
