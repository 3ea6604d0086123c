// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Converts the glue's settings to the core's.
#pragma once

#include <array>

#include "capi/nbrhood_settings.h"
#include "engine/engine.h"

namespace nbrhood {

// given: one for each collective.
std::array<int, kCollectives> choices_of(const int *given);

// Throws std::bad_alloc.
Settings settings_of(const nbrhood_settings &given);

} // namespace nbrhood
