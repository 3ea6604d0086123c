// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Timing of algorithms in alternating order.
#pragma once

#include "interfaces.h"
#include "mpi_headers.h"

#include <cstdint>
#include <vector>

namespace nbrhood_tools {

enum class Order { palindrome, random };

struct TimingSettings {
    int samples = 15;
    int calls = 50; ///< calls in a sample: many, because the barrier before them takes as long as
                    ///< several calls
    int warmup = 2; ///< samples of each algorithm that are not counted
    int first_calls =
        240; ///< first calls, in which auto may build and try a pattern, and as many of stock
    int first_rounds = 1; ///< rounds of first calls, all but one on communicators made for them
    double max_seconds = 30;
    Order order = Order::palindrome;
    std::uint64_t seed = 1;
};

struct Timing {
    /// Seconds a call, slowest rank: [algorithm][sample]. Sample i of all algorithms was taken in
    /// round i.
    std::vector<std::vector<double>> seconds;
    int calls = 0;          ///< calls actually made in a sample
    bool cut_short = false; ///< the time limit reduced samples or calls
};

/// Times run() of the exchanges in rounds: each round takes one sample of each, in an order that
/// changes from round to round. Collective over `comm`, to which all the exchanges' communicators
/// are congruent. The same on every rank.
Timing time_exchanges(const std::vector<Repeatable *> &exchanges, const TimingSettings &settings,
                      MPI_Comm comm);

/// Runs an exchange settings.first_calls times. Returns the seconds of all calls up to the end of
/// each, slowest rank. As in samples, a barrier that is not timed follows every settings.calls
/// calls; otherwise ranks that receive nothing would run ahead by all calls. Collective over
/// `comm`, and the same on every rank.
std::vector<double> time_first_calls(Repeatable &exchange, const TimingSettings &settings,
                                     MPI_Comm comm);

/// Times prepare() `times` times for each exchange in alternating order, slowest rank, and leaves
/// all prepared. Returns [algorithm][repetition] in seconds. Collective over `comm`.
std::vector<std::vector<double>> time_preparation(const std::vector<Repeatable *> &exchanges,
                                                  int times, MPI_Comm comm);

} // namespace nbrhood_tools
