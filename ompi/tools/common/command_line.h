// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How command lines are read.
#ifndef NBRHOOD_COMMON_COMMAND_LINE_H
#define NBRHOOD_COMMON_COMMAND_LINE_H

#include <string>

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace nbrhood_tools {

/// Parses the command line into what `app`'s options are bound to, with an option --version.
/// Returns the help text, or the program's name and version, when the user asked for it (then no
/// option is set for use), otherwise nothing. Throws OptionError with a message for the user.
std::string parse_command_line(CLI::App &app, int argc, char **argv);

/// A check for options with a fraction, with both bounds allowed. CLI::Range takes "nan".
CLI::Validator number_between(double low, double high);

} // namespace nbrhood_tools

#endif
