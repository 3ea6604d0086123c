// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The errors that end a run. In MPI programs every rank throws them, so that no rank waits for one
// that gave up.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace nbrhood_tools {

/// The exit status of the process.
enum ExitStatus { exit_good = 0, exit_wrong_results = 1, exit_bad_options = 2, exit_bad_input = 3 };

/// An option that cannot be used. Returned as exit_bad_options.
class OptionError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written, or a graph that cannot be used. Returned as
/// exit_bad_input.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    /// "file:line: reason", or "file: reason" when `line` is 0 (unknown).
    InputError(const std::string &file, long line, const std::string &reason)
        : std::runtime_error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + reason)
    {}
};

/// The user asked for the help text or the version: the message is that, for standard output, and
/// the program ends well.
class HelpRequest : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Runs `body` and returns its status, or that of the HelpRequest, OptionError or InputError which
/// ended it. Where `print` is set (MPI programs: on rank 0) an error goes to stderr, with the
/// program's name before it.
ExitStatus run_reporting_errors(const char *program, bool print,
                                const std::function<ExitStatus()> &body);

/// main() of the programs without MPI: likewise, and any other exception, most likely because there
/// is not enough memory, is bad input.
int run_tool(const char *program, const std::function<ExitStatus()> &body);

} // namespace nbrhood_tools
