// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include <string>

namespace nbrhood_tools::calibrate {

struct Options {
    std::string output;    ///< cost file; empty: none
    std::string json_file; ///< empty: none
    std::string name;      ///< of the machine; empty: host, ranks and nodes
    double seconds = 20;
    std::string command; ///< the whole command line, for the file's header
};

/// Parses the command line; the same on every rank. Throws HelpRequest, or
/// OptionError with a message for the user.
Options parse_options(int argc, char **argv);

} // namespace nbrhood_tools::calibrate
