// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of one run of the program, for people and for programs. Called on rank 0.
#pragma once

#include "hierarchy.h"
#include "measurement.h"

#include "measuring/environment.h"

namespace nbrhood_tools::amg {

struct Run {
    Environment environment;
    Problem problem;
    double setup_seconds = 0; ///< BoomerAMG's
    Settings settings;
    std::vector<LevelResult> levels; ///< those measured so far, fine to coarse
};

/// Prints all tables on standard output: the levels' times, set-up costs and messages, the sums,
/// and the paper's figures.
void print_tables(const Run &run);

/// The text of the --json file. Times are in seconds. complete: whether the run has ended.
std::string json_text(const Run &run, bool complete);

} // namespace nbrhood_tools::amg
