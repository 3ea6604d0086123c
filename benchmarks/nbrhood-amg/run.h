// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of one run of the program, for its outputs.
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

} // namespace nbrhood_tools::amg
