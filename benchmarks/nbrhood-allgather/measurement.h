// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measures one size on one group of ranks.
#ifndef NBRHOOD_ALLGATHER_MEASUREMENT_H
#define NBRHOOD_ALLGATHER_MEASUREMENT_H

#include "group.h"
#include "statistics.h"
#include "timing.h"
#include "variant.h"

#include <string>
#include <vector>

namespace nbrhood_allgather {

struct Configuration {
    Placement placement = Placement::by_slot;
    int ranks_per_node = 0; ///< 0: all
    nbrhood_bench::Variant variant = nbrhood_bench::Variant::blocking;
    std::size_t bytes = 8; ///< bytes that a rank contributes
};

struct Settings {
    std::vector<std::string> labels; ///< stock first
    nbrhood_bench::TimingSettings timing;
};

struct AlgorithmResult {
    std::string label;
    bool verified = false;
    std::vector<double> seconds; ///< seconds of a call, slowest rank, by sample
    nbrhood_bench::Ratio speed_up;
    Sent nonlocal; ///< maximum over ranks; messages -1: not known

    double median() const { return nbrhood_bench::median(seconds); }
};

struct Comparison {
    Configuration configuration;
    int ranks = 0;
    int nodes = 0;
    int calls = 0;
    bool cut_short = false;
    std::vector<AlgorithmResult> algorithms;

    bool all_verified() const;
};

/// Collective over `comm`; ranks outside the group get the result, too.
Comparison compare(const Configuration &configuration, const Settings &settings, MPI_Comm comm);

} // namespace nbrhood_allgather

#endif
