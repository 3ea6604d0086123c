// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for people, for programs and for the component. All of it is called on rank 0 only.
#pragma once

#include "fit.h"
#include "measurement.h"

#include "measuring/environment.h"

#include <string>
#include <vector>

namespace nbrhood_tools::calibrate {

/// All results of a run.
struct Result {
    Environment environment;
    std::string command;
    std::vector<int> cores;          ///< of each node
    std::vector<int> ranks_of_nodes; ///< on each node
    Sharing sharing;
    std::vector<Series> series;
    Fit fit;
};

/// Prints the costs, the errors of the fit and its notes.
void print_table(const Result &result);

/// The contents of the file that coll/nbrhood reads, with comments on their origin.
std::string costs_file(const Result &result);

/// The JSON text, with all samples.
std::string json_text(const Result &result);

} // namespace nbrhood_tools::calibrate
