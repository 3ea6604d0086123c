// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include "measurement.h"

#include <string>
#include <vector>

namespace nbrhood_tools::allgather {

struct Options {
    std::vector<Configuration> configurations;
    Settings settings;
    std::string json_file; ///< empty: none
    bool progress = false;
};

/// Parses the command line; the same on every rank. Throws HelpRequest, or
/// OptionError with a message for the user.
Options parse_options(int argc, char **argv);

} // namespace nbrhood_tools::allgather
