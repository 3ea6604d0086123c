// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Patterns that no algorithm makes: blocks in parts, over random ranks.
#pragma once

#include <vector>

#include "pattern/pattern.h"
#include "support.h"

namespace nbrhood::test {

// Options of random_patterns.
struct PatternStyle {
    double direct = 0.3; // blocks that travel in direct messages, among destinations only
    double cut = 0.4;    // blocks that travel in parts
    double runs = 0.5;   // slices that continue the one before are written as one
    int messages = 4;    // parts that each rank is given before the missing parts are sent, about
    bool buffer_runs = true; // runs of blocks of the application, too
};

// The patterns of all ranks of a graph, by rank: every block goes to its destinations in random
// parts through random ranks with edges, from send buffers, staging and receive slots. The patterns
// are correct: they can be proved and run.
std::vector<Pattern> random_patterns(Random &random, const Graph &graph, BlockKind kind,
                                     const PatternStyle &style);

} // namespace nbrhood::test
