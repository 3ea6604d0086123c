// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measures one size on one group of ranks.
#pragma once

#include "group.h"

#include "measuring/method_result.h"
#include "measuring/variant.h"

#include <string>
#include <vector>

namespace nbrhood_tools::allgather {

struct Configuration {
    Placement placement = Placement::by_slot;
    int ranks_per_node = 0; ///< 0: all
    Variant variant = Variant::blocking;
    std::size_t bytes = 8; ///< bytes that a rank contributes
};

struct Settings {
    std::vector<std::string> labels; ///< stock first
    TimingSettings timing;
};

struct AlgorithmResult : MethodResult {
    Sent nonlocal; ///< maximum over ranks; messages -1: not known
};

struct Comparison {
    Configuration configuration;
    int ranks = 0;
    int nodes = 0;
    int calls = 0;
    bool cut_short = false;
    std::vector<AlgorithmResult> algorithms;
};

/// Collective over `comm`; ranks outside the group get the result, too.
Comparison compare(const Configuration &configuration, const Settings &settings, MPI_Comm comm);

} // namespace nbrhood_tools::allgather
