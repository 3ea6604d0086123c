// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The picture of who sends how much to whom.
#pragma once

#include "report.h"
#include "scenario.h"

#include <string>

namespace nbrhood_tools::explain {

/// A gnuplot script that draws the messages from each rank to each, and beside it from each node to
/// each, and below the bytes. Colours mean the same for all algorithms of the report. `machine`
/// names machine and costs.
std::string traffic_script(const ScenarioReport &report, const AlgorithmReport &algorithm,
                           const Layout &layout, const std::string &machine);

} // namespace nbrhood_tools::explain
