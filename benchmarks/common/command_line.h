// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Parsing of command lines.
#ifndef NBRHOOD_BENCH_COMMAND_LINE_H
#define NBRHOOD_BENCH_COMMAND_LINE_H

#include <string>

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace nbrhood_bench {

/// Parses the command line into the variables of `app`'s options, with an additional option
/// --version. Returns the help text, or the program's name and version, if the user asked for it
/// (then the variables must not be used), otherwise nothing. Throws OptionError with a message for
/// the user.
std::string parse_command_line(CLI::App &app, int argc, char **argv);

/// A check for options with a fraction, with both bounds allowed. Unlike CLI::Range it refuses
/// "nan".
CLI::Validator number_between(double low, double high);

} // namespace nbrhood_bench

#endif
