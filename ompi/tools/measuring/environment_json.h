// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The surroundings of a run in JSON files.
#ifndef NBRHOOD_BENCH_ENVIRONMENT_JSON_H
#define NBRHOOD_BENCH_ENVIRONMENT_JSON_H

#include "environment.h"
#include "json.h"

namespace nbrhood_bench {

/// The field "environment".
Json environment_json(const Environment &environment);

} // namespace nbrhood_bench

#endif
