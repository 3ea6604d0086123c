// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of one run of the program, for its outputs.
#ifndef NBRHOOD_AMG_RUN_H
#define NBRHOOD_AMG_RUN_H

#include "environment.h"
#include "hierarchy.h"
#include "measurement.h"

namespace nbrhood_amg {

struct Run {
    nbrhood_bench::Environment environment;
    Problem problem;
    double setup_seconds = 0; ///< BoomerAMG's
    Settings settings;
    std::vector<LevelResult> levels; ///< those measured so far, fine to coarse
};

} // namespace nbrhood_amg

#endif
