// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One run of the program, for those who write it down.
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

/// The speed-ups of each algorithm on several matrices, by what is else the same. What was cut to a
/// matrix's own size (`--widths all`) counts as the same.
RatioGroups groups_of(const Run &run);

} // namespace nbrhood_tools::spmm
