// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results as a table for people and as JSON for programs.
#ifndef NBRHOOD_ALLGATHER_OUTPUT_H
#define NBRHOOD_ALLGATHER_OUTPUT_H

#include "measurement.h"

#include "measuring/environment.h"

namespace nbrhood_tools::allgather {

void print_header(const Environment &environment);
void print(const Comparison &comparison);
void print_footer(const Environment &environment, const std::vector<Comparison> &comparisons);

/// complete: whether nothing more is measured.
std::string json_text(const Environment &environment, const Settings &settings,
                      const std::vector<Comparison> &comparisons, bool complete);

} // namespace nbrhood_tools::allgather

#endif
