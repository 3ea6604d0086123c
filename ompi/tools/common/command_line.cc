// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "command_line.h"

namespace nbrhood_tools {

void parse_command_line(CLI::App &app, int argc, char **argv)
{
    const std::string version = app.get_name() + " (coll/nbrhood) " NBRHOOD_VERSION "\n";
    app.set_version_flag("--version", version, "print the version and stop");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        throw HelpRequest(app.help());
    } catch (const CLI::CallForVersion &) {
        throw HelpRequest(version);
    } catch (const CLI::ParseError &error) {
        throw OptionError(std::string(error.what()) + "\nRun with --help for more information.");
    }
}

std::string command_text(int argc, char **argv)
{
    std::string text;
    for (int i = 0; i < argc; ++i)
        text += std::string(i == 0 ? "" : " ") + argv[i];
    return text;
}

void add_result_options(CLI::App &app, std::string &json_file, bool &progress,
                        const char *progress_names)
{
    app.add_option("-j,--json", json_file, "write all results to this file");
    app.add_flag(progress_names, progress,
                 "report every step on stderr even if it is not a terminal");
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
