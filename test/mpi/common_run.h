// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Command line, watchdog, agreement on results and their printing: shared code of all programs.
#pragma once

#include "common_mpi.h"
#include "common_random.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nbrhood_test {

/// Options of the form `--name value` and `--flag`.
class Options {
public:
    /// Reads the command line; flags lists the options without a value. Exits with a message on
    /// unknown ones, and with the package's version on --version.
    Options(int argc, char **argv, const std::map<std::string, std::string> &defaults,
            const std::vector<std::string> &flags);
    /// The value given, or the default.
    const std::string &text(const std::string &name) const { return values_.at(name); }
    long number(const std::string &name) const { return std::stol(values_.at(name)); }
    bool flag(const std::string &name) const { return values_.count(name) != 0; }
    /// A value split at its commas.
    std::vector<std::string> list(const std::string &name) const;

private:
    std::map<std::string, std::string> values_;
};

/// Aborts the run when nothing moves for a while, and prints the activity of every rank.
namespace watchdog {
/// Arms the watchdog: it goes off when a rank does not report progress for this long.
void start(int rank, unsigned seconds);
/// Records the present activity of this rank, as progress.
void state(const std::string &doing);
/// Adds a detail to the state without counting as progress.
void detail(const std::string &doing);
/// Records an earlier failure, to be printed with the state, because it may be the reason why
/// nothing moves.
void noticed(const std::string &failure);
/// The line that rank 0 prints when time is up.
void last_line(const std::string &line);
/// Disarms the watchdog.
void stop();
} // namespace watchdog

/// Rank 0's summary of failures: the reason of the first failing rank and how many ranks failed;
/// empty when none did. Collective over MPI_COMM_WORLD; the result is empty on all ranks or on
/// none.
std::string agree_on_failure(const std::string &mine);

/// Runs cases one after the other: rank 0 prints the result of each, and the numbers of passed and
/// failed cases.
class Results {
public:
    Results(int rank, const Options &options) : rank_(rank), timeout_(options.text("--timeout")) {}
    /// Begins a case; the watchdog names it.
    void begin(const std::string &name);
    /// Ends the case with the result that all ranks agreed on (agree_on_failure).
    void end(const std::string &failure);
    /// Prints the sums; only MPI_Finalize may follow. Returns the exit status.
    int finish();

private:
    std::string sums(int failed) const;

    int rank_;
    std::string timeout_, name_;
    int passed_ = 0, failed_ = 0;
};

/// Text of an MPI error code.
std::string error_text(int code);

/// What a call returned, unless it succeeded; then an empty string.
std::string failed_call(const char *call, int code);

/// Does nothing, sleeps or spins: a rank that spins keeps a core busy and does not let the others
/// progress.
void random_delay(Random &random);

} // namespace nbrhood_test
