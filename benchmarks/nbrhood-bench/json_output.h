// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for programs.
#pragma once

#include "output.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// The text of the --json file. Times are in seconds. complete: whether nothing more is measured.
/// Called on rank 0.
std::string json_text(const Environment &environment, const ComparisonSettings &settings,
                      const std::vector<Comparison> &comparisons, bool complete);

} // namespace nbrhood_tools::bench
