// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What a run prints and writes.
#pragma once

#include "options.h"

namespace nbrhood_tools::builds {

/// One line of the table.
struct Row {
    std::string graph;
    Nodes placement = Nodes::in_order;
    int ranks = 0;
    std::string refused; ///< why there is no such graph; then nothing else counts
    int distance = 0;
    SimulationReport report;
};

/// Prints the table, and below it what could not be run.
void print_table(const std::vector<Row> &rows);

/// Writes the file of --json. complete: whether these are all rows. Returns an empty string, or why
/// it failed.
std::string write_json(const Options &options, const std::vector<Row> &rows, bool complete);

} // namespace nbrhood_tools::builds
