// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results of rank 0 that the other ranks must know.
#pragma once

#include "mpi_headers.h"

#include <functional>
#include <string>

namespace nbrhood_tools {

/// Spreads a failure of rank 0: throws InputError with rank 0's `message` on all ranks unless that
/// message is empty. Collective over `comm`; the argument of other ranks is ignored.
void agree_on_failure(const std::string &message, MPI_Comm comm);

/// Rank 0 writes text() to the file `path`, unless that is empty; a failure is everyone's. Called
/// after every step, so that a run that is stopped leaves its results so far. Collective over
/// `comm`.
void save_results(const std::string &path, const std::function<std::string()> &text, MPI_Comm comm);

} // namespace nbrhood_tools
