// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The picture of the traffic between ranks and between nodes.
#pragma once

#include "report.h"
#include "scenario.h"

#include <string>

namespace nbrhood_tools::explain {

/// A gnuplot script that draws the messages from each rank to each and, beside them, from each node
/// to each; below them the bytes. All algorithms of the report have the same colour scale.
/// `machine` names machine and costs.
std::string traffic_script(const ScenarioReport &report, const AlgorithmReport &algorithm,
                           const Layout &layout, const std::string &machine);

} // namespace nbrhood_tools::explain
