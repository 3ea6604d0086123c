// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of one run of the program, for its outputs.
#ifndef NBRHOOD_SPMM_RUN_H
#define NBRHOOD_SPMM_RUN_H

#include "environment.h"
#include "measurement.h"
#include "ratio_groups.h"

#include <vector>

namespace nbrhood_spmm {

struct Run {
    nbrhood_bench::Environment environment;
    Settings settings;
    std::vector<Comparison> comparisons; ///< those measured so far
};

/// The speed-ups of each algorithm on several matrices, grouped by equal settings. Widths that are
/// limited by a matrix (`--widths all`) count as equal.
nbrhood_bench::RatioGroups groups_of(const Run &run);

} // namespace nbrhood_spmm

#endif
