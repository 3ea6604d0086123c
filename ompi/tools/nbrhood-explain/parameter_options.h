// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The options for the component's parameters.
#pragma once

#include "algorithms/toolkit/parameter.h"

namespace CLI {
class App;
}

namespace nbrhood_tools::explain {

/// Adds an option for each numeric parameter of the component that influences patterns: for
/// relays_per_region it is --relays-per-region. `values` must live as long as the options.
void add_parameter_options(CLI::App &app, nbrhood::ParameterValues &values);

} // namespace nbrhood_tools::explain
