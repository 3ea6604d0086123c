// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The options of the programs that compare algorithms, for how they are timed.
#pragma once

#include "timing.h"

#include "common/command_line.h"

namespace nbrhood_tools {

/// --samples, --calls, --warmup, --max-seconds and --no-aa. `limited` says for what the seconds
/// are.
void add_timing_options(CLI::App &app, TimingSettings &timing, bool &no_twin,
                        const std::string &limited);

/// --creations.
void add_creation_option(CLI::App &app, int &creations);

} // namespace nbrhood_tools
