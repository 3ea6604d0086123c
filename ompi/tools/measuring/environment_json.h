// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The surroundings of a run in JSON files.
#pragma once

#include "environment.h"

#include "common/json.h"

namespace nbrhood_tools {

/// The field "environment".
Json environment_json(const Environment &environment);

} // namespace nbrhood_tools
