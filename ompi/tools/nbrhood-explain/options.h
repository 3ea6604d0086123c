// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include "analysis.h"
#include "machine_input.h"

#include "common/graph.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

struct Options {
    std::vector<GraphSpec> graphs;
    std::vector<nbrhood::BlockKind> kinds; ///< of the operations asked for, each once
    bool allgather = false;                ///< MPI_Allgather instead of graphs and kinds
    std::string recording;                 ///< directory; empty: graphs on a described machine
    MachineOptions machine;
    AnalysisSettings analysis;
    std::string json_file; ///< empty: none
    bool progress = false;
    bool show_gpus = false; ///< and nothing else
    std::string command;    ///< as typed
};

/// Parses the command line and reads the costs. Throws OptionError with a message for the user,
/// InputError "file:line: reason" if the cost file is unusable.
Options parse_options(int argc, char **argv);

} // namespace nbrhood_tools::explain
