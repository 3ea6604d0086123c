// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The picture of the activities of ranks over time.
#pragma once

#include "report.h"
#include "scenario.h"

#include <string>

namespace nbrhood_tools::explain {

/// A gnuplot script that draws a row for each of the first ranks, coloured by its activity, with
/// lines between nodes. `machine` names machine and costs.
std::string timeline_script(const ScenarioReport &report, const AlgorithmReport &algorithm,
                            const Layout &layout, const std::string &machine);

} // namespace nbrhood_tools::explain
