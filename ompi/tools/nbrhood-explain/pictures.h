// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Pictures of patterns and times, drawn by gnuplot.
#pragma once

#include "report.h"
#include "scenario.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// Makes the directory if it is missing. Throws InputError if it cannot be made or written to, or
/// gnuplot cannot be run. Called before the work whose results will be drawn.
void check_pictures(const std::string &directory);

/// Draws into `directory` with gnuplot and returns the names of the files written:
///   traffic-GRAPH-KIND-ALGORITHM.svg   traffic between ranks and between nodes
///   timeline-GRAPH-KIND-ALGORITHM.svg  activities of the first ranks over time
///   speed-up-GRAPH-KIND.svg            over the sizes, if there are several
///   speed-up-density-KIND.svg          over the densities, if there are several graphs
/// KIND is one-per-edge or one-per-rank, the kind of blocks. The first two show each graph's first
/// size. In names every character but letters, digits, '-' and '.' becomes '-'; a name that was
/// used before gets a number. `costs` names the costs. Throws InputError if a file cannot be
/// written or gnuplot fails.
std::vector<std::string> draw_pictures(const std::string &directory, const Layout &layout,
                                       const std::string &costs,
                                       const std::vector<ScenarioReport> &reports);

} // namespace nbrhood_tools::explain
