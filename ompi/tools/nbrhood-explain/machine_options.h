// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line's part about the machine.
#pragma once

#include "machine_input.h"

namespace CLI {
class App;
}

namespace nbrhood_tools::explain {

/// Adds the options of MachineOptions to `app`. What they contradict is found by
/// describe_machine(). `options` must live until the command line is parsed.
void add_machine_options(CLI::App &app, MachineOptions &options);

} // namespace nbrhood_tools::explain
