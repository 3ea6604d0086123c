// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for people, on standard output. Called on rank 0.
#pragma once

#include "run.h"

namespace nbrhood_tools::amg {

/// Prints all tables: the levels' times, set-up costs and messages, the sums, and the paper's
/// figures.
void print_tables(const Run &run);

} // namespace nbrhood_tools::amg
