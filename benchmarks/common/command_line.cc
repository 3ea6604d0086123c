#include "command_line.h"

#include "error.h"

#include <CLI/CLI.hpp>

namespace nbrhood_bench {

std::string parse_command_line(CLI::App &app, int argc, char **argv)
{
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        return app.help();
    } catch (const CLI::ParseError &error) {
        throw OptionError(std::string(error.what()) + "\nRun with --help for more information.");
    }
    return "";
}

} // namespace nbrhood_bench
