// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results as a table for people and as JSON for programs.
#ifndef NBRHOOD_ALLGATHER_OUTPUT_H
#define NBRHOOD_ALLGATHER_OUTPUT_H

#include "environment.h"
#include "measurement.h"

namespace nbrhood_allgather {

void print_header(const nbrhood_bench::Environment &environment);
void print(const Comparison &comparison);
void print_footer(const nbrhood_bench::Environment &environment,
                  const std::vector<Comparison> &comparisons);

/// complete: whether the run has ended.
std::string json_text(const nbrhood_bench::Environment &environment, const Settings &settings,
                      const std::vector<Comparison> &comparisons, bool complete);

} // namespace nbrhood_allgather

#endif
