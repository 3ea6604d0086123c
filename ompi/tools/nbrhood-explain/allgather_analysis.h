// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proves, counts and models the patterns of MPI_Allgather on a machine.
#pragma once

#include "analysis.h"

namespace nbrhood_tools::explain {

/// The operation of --op.
constexpr const char *allgather_operation = "mpi_allgather";

/// The algorithm to which the others are compared: that of the papers, which knows no nodes.
constexpr const char *allgather_base = "bruck";

/// The number of steps of analyse_allgather().
std::size_t steps_of_allgather(const AnalysisSettings &settings);

/// Computes all results, as analyse() does for a graph. settings.algorithms are rows of the
/// registry of allgathers.
ScenarioReport analyse_allgather(const Layout &layout, const AnalysisSettings &settings,
                                 const Tell &tell);

} // namespace nbrhood_tools::explain
