// The errors that end a run. They are thrown on every rank alike, so that no rank waits for one
// that gave up.
#ifndef NBRHOOD_BENCH_ERROR_H
#define NBRHOOD_BENCH_ERROR_H

#include <stdexcept>
#include <string>

namespace nbrhood_bench {

/// What the process returns to its caller.
enum ExitStatus { exit_good = 0, exit_wrong_results = 1, exit_bad_options = 2, exit_bad_input = 3 };

/// An option that cannot be used. main() prints it on rank 0 and every rank returns
/// exit_bad_options.
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

} // namespace nbrhood_bench

#endif
