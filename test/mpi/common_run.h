// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Command line, watchdog, agreement on results and their printing: what all programs need to run.
#pragma once

#include "common_mpi.h"

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

/// Aborts the run, with what every rank is doing, when nothing moves for a while.
namespace watchdog {
/// Arms it: it goes off when a rank does not report progress for this long.
void start(int rank, unsigned seconds);
/// Says what this rank is doing now, and that it made progress.
void state(const std::string &doing);
/// Adds a detail to the state without counting as progress.
void detail(const std::string &doing);
/// Keeps a failure that was noticed before, to be printed with the state: it may be why nothing
/// moves.
void noticed(const std::string &failure);
/// The line that rank 0 prints when time is up.
void verdict(const std::string &line);
/// Disarms it.
void stop();
} // namespace watchdog

/// Rank 0's summary of failures: the reason of the first failing rank and how many ranks failed;
/// empty when none did. Collective over MPI_COMM_WORLD; every rank gets the same emptiness.
std::string agree_on_failure(const std::string &mine);

/// Runs cases one after the other: rank 0 prints how each ended, and how many passed and failed.
class Results {
public:
    Results(int rank, const Options &options) : rank_(rank), timeout_(options.text("--timeout")) {}
    /// What runs from now on: the watchdog names it.
    void begin(const std::string &name);
    /// How it ended, as all ranks agreed (agree_on_failure).
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

} // namespace nbrhood_test
