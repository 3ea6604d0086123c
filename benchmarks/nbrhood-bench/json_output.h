// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for programs.
#ifndef NBRHOOD_BENCH_JSON_OUTPUT_H
#define NBRHOOD_BENCH_JSON_OUTPUT_H

#include "output.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// Writes everything, with all samples, to `path`: first beside it, then in one step in its place,
/// so that a reader never sees half a file. complete: whether nothing more is measured. Called on
/// rank 0. Returns an empty string, or why it failed.
std::string write_json(const std::string &path, const Environment &environment,
                       const ComparisonSettings &settings,
                       const std::vector<Comparison> &comparisons, bool complete);

} // namespace nbrhood_tools::bench

#endif
