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
    int creations = 3;           ///< how many times communicators and requests are made
    double max_seconds = 30;     ///< limit for the timing of one level, which reduces the exchanges
};

/// One method on one level. Times in seconds, of the slowest rank.
struct MethodResult {
    std::string name;
    bool verified = false;
    std::vector<double>
        creation_seconds; ///< creations of the topology's communicator; empty if it has none
    std::vector<double> first_seconds; ///< init and first exchange together
    std::vector<double> averages; ///< three averages of an exchange; empty if results were wrong
    MessageCounts most;           ///< maximum of any rank in one exchange, not the first

    /// The minimum of each, as in the paper; NaN if there is none, 0 for no creation.
    double seconds() const;
    double creation() const;
    double first() const;
};

struct LevelResult {
    std::int64_t rows = 0;
    std::int64_t nonzeros = 0;
    GraphFacts facts;
    int calls = 0;          ///< exchanges actually made in each average
    bool cut_short = false; ///< less than asked for
    std::vector<MethodResult>
        methods; ///< empty if no rank has edges, because there is nothing to do

    bool all_verified() const;
};

/// Measures one level. Wrong results are reported on rank 0's stderr, with `title` in front.
/// Collective over `comm`; the same on every rank.
LevelResult measure_level(const Level &level, const std::string &title, const Settings &settings,
                          MPI_Comm comm);

} // namespace nbrhood_tools::amg
