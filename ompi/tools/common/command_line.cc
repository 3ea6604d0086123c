// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "command_line.h"

#include "error.h"
#include "version.h"

#include <CLI/CLI.hpp>

namespace nbrhood_tools {

std::string parse_command_line(CLI::App &app, int argc, char **argv)
{
    const std::string version = version_line(app.get_name());
    app.set_version_flag("--version", version, "print the version and stop");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        return app.help();
    } catch (const CLI::CallForVersion &) {
        return version;
    } catch (const CLI::ParseError &error) {
        throw OptionError(std::string(error.what()) + "\nRun with --help for more information.");
    }
    return "";
}

CLI::Validator number_between(double low, double high)
{
    const std::string range = CLI::detail::to_string(low) + " to " + CLI::detail::to_string(high);
    return CLI::Validator(
        [=](const std::string &text) {
            double value = 0;
            const bool good =
                CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
            return good ? std::string() : "'" + text + "' is not a number from " + range;
        },
        range);
}

} // namespace nbrhood_tools
