// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include "simulation.h"

#include "common/graph.h"

#include <string>
#include <vector>

namespace nbrhood_tools::builds {

/// The placement of ranks: node after node, or at random.
enum class Nodes { in_order, at_random };

struct Options {
    std::vector<GraphSpec> graphs;
    std::vector<int> ranks;
    std::vector<Nodes> placements;
    std::string node; ///< levels inside a node, as nbrhood::SyntheticMachine reads them
    SimulationSettings simulation;
    std::string json_file; ///< empty: none
    bool progress = false;
    std::string command; ///< as typed
};

/// "in order", "at random".
const char *name_of(Nodes placement);

/// Parses the command line. Throws OptionError with a message for the user.
Options parse_options(int argc, char **argv);

} // namespace nbrhood_tools::builds
