// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The options of the programs that compare algorithms, for how they are timed.
#pragma once

#include "timing.h"

#include "common/command_line.h"

namespace nbrhood_tools {

/// --samples, --warmup, --max-seconds, --no-aa, and an option for the calls in a sample, with its
/// names and what a call is there ("calls"). `limited` says for what the seconds are.
void add_timing_options(CLI::App &app, TimingSettings &timing, bool &no_twin,
                        const char *call_names, const std::string &calls,
                        const std::string &limited);

/// --creations.
void add_creation_option(CLI::App &app, int &creations);

} // namespace nbrhood_tools
