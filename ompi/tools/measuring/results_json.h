// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// JSON that the programs which compare algorithms have in common.
#pragma once

#include "environment.h"
#include "method_result.h"

#include "common/json.h"

namespace nbrhood_tools {

/// The field "environment".
Json environment_json(const Environment &environment);

/// The fields that all methods have.
Json method_json(const MethodResult &result);

} // namespace nbrhood_tools
