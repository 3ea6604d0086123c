// How command lines are read.
#ifndef NBRHOOD_BENCH_COMMAND_LINE_H
#define NBRHOOD_BENCH_COMMAND_LINE_H

#include <string>

namespace CLI {
class App;
}

namespace nbrhood_bench {

/// Parses the command line into what `app`'s options are bound to. Returns the help text when the
/// user asked for it (then no option is set for use), otherwise nothing. Throws OptionError with a
/// message for the user.
std::string parse_command_line(CLI::App &app, int argc, char **argv);

} // namespace nbrhood_bench

#endif
