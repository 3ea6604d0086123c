// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Parsing of command lines.
#pragma once

#include "error.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace nbrhood_tools {

/// Parses the command line into what `app`'s options are bound to, with an option --version. Throws
/// HelpRequest with the help text, or the program's name and version, when the user asked for it,
/// and OptionError with a message for the user.
void parse_command_line(CLI::App &app, int argc, char **argv);

/// The command line as typed, for the results.
std::string command_text(int argc, char **argv);

/// An option that takes a comma list.
template <typename Values>
CLI::Option *add_list(CLI::App &app, const char *names, Values &values, const char *text)
{
    return app.add_option(names, values, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
}

/// -j or --json, and an option for a report of every step.
void add_result_options(CLI::App &app, std::string &json_file, bool &progress,
                        const char *progress_names = "-p,--progress");

/// A check for options with a fraction, with both bounds allowed. Unlike CLI::Range it refuses
/// "nan".
CLI::Validator number_between(double low, double high);

/// Throws OptionError where a size is below 1 or above `most`.
template <typename Size>
void check_sizes(const char *option, const std::vector<Size> &sizes, Size most)
{
    for (const Size size : sizes)
        if (size < 1 || size > most)
            throw OptionError(std::string(option) + ": sizes must lie between 1 and "
                              + std::to_string(most));
}

} // namespace nbrhood_tools
