// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The options for the machine.
#pragma once

#include "machine_input.h"

namespace CLI {
class App;
}

namespace nbrhood_tools::explain {

/// Adds the options of MachineOptions to `app`. describe_machine() checks for contradictions.
/// `options` must live until the command line is parsed.
void add_machine_options(CLI::App &app, MachineOptions &options);

} // namespace nbrhood_tools::explain
