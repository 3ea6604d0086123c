// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The output of a run.
#pragma once

#include "options.h"

namespace nbrhood_tools::builds {

/// One line of the table.
struct Row {
    std::string graph;
    Nodes placement = Nodes::in_order;
    int ranks = 0;
    std::string
        refused; ///< the reason why there is no such graph; then the other members are not used
    int distance = 0;
    SimulationReport report;
};

/// Prints the table, and below it the rows that could not be run.
void print_table(const std::vector<Row> &rows);

/// Writes the file of --json. complete: whether these are all rows. Returns an empty string, or the
/// reason for a failure.
std::string write_json(const Options &options, const std::vector<Row> &rows, bool complete);

} // namespace nbrhood_tools::builds
