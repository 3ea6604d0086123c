// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of one run of the program, for its outputs.
#pragma once

#include "measurement.h"

#include "common/ratio_groups.h"
#include "measuring/environment.h"

#include <vector>

namespace nbrhood_tools::spmm {

struct Run {
    Environment environment;
    Settings settings;
    std::vector<Comparison> comparisons; ///< those measured so far
};

/// The speed-ups of each algorithm on several matrices, grouped by equal settings. Widths that are
/// limited by a matrix (`--widths all`) count as equal.
RatioGroups groups_of(const Run &run);

} // namespace nbrhood_tools::spmm
