// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The pictures of speed-ups over direct.
#pragma once

#include "report.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// A gnuplot script that draws the speed-up of each algorithm over the sizes of a graph's blocks,
/// and the speed-up of the lower bound. Empty if direct or a second size is missing. `machine`
/// names machine and costs.
std::string speed_up_script(const ScenarioReport &report, const std::string &machine);

/// The same over the densities of several graphs with the same kind of blocks, or from graph to
/// graph if all have the same density: a panel for each of the first sizes that all graphs have.
/// Empty if direct or a second graph is missing.
std::string density_script(const std::vector<const ScenarioReport *> &reports,
                           const std::string &machine);

} // namespace nbrhood_tools::explain
