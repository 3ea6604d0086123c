// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include "measurement.h"

#include <cstdint>
#include <string>

namespace nbrhood_tools::amg {

struct Options {
    std::int64_t rows = 0; ///< of the finest level
    Settings settings;
    std::string json_file;        ///< empty: none
    int parts = 0;                ///< ranks to which the rows are dealt
    std::string export_directory; ///< empty: measure
    bool progress = false;
};

/// Parses the command line for `ranks` ranks; the same on every rank. Throws OptionError with a
/// message for the user.
Options parse_options(int argc, char **argv, int ranks);

} // namespace nbrhood_tools::amg
