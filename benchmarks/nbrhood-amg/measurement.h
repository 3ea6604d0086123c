// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// All methods on one level: verified, counted and timed.
#pragma once

#include "message_counts.h"
#include "methods.h"

#include "measuring/graph_facts.h"

#include <string>
#include <vector>

namespace nbrhood_tools::amg {

struct Settings {
    std::vector<Method> methods; ///< all_methods()[0] first
    int calls = 1000;            ///< exchanges in each of the three averages
    int creations = 3;           ///< how often communicators and requests are made
    double max_seconds = 30;     ///< for the timing of one level: fewer exchanges beyond that
};

/// One method on one level. Times in seconds, of the slowest rank.
struct MethodResult {
    std::string name;
    bool verified = false;
    std::vector<double> creation_seconds; ///< of the topology's communicator; empty if it has none
    std::vector<double> first_seconds;    ///< of init and first exchange together
    std::vector<double> averages;         ///< of an exchange, three; empty if results were wrong
    MessageCounts most;                   ///< of any rank in one exchange, not the first

    /// The smallest of each, as in the paper; NaN where there is none, 0 for no creation.
    double seconds() const;
    double creation() const;
    double first() const;
};

struct LevelResult {
    std::int64_t rows = 0;
    std::int64_t nonzeros = 0;
    GraphFacts facts;
    int calls = 0;                     ///< exchanges in each average that were really made
    bool cut_short = false;            ///< less than asked for
    std::vector<MethodResult> methods; ///< empty where no rank has edges: there is nothing to do

    bool all_verified() const;
};

/// Measures one level. Wrong results are reported on rank 0's stderr, with `title` in front.
/// Collective over `comm`; the same on every rank.
LevelResult measure_level(const Level &level, const std::string &title, const Settings &settings,
                          MPI_Comm comm);

} // namespace nbrhood_tools::amg
