// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Titles of the pictures.
#pragma once

#include "report.h"

#include <cstdint>
#include <string>

namespace nbrhood_tools::explain {

/// "rsg:0.3, blocks one per edge".
std::string scenario_text(const ScenarioReport &report);

/// "blocks of 4K bytes", or entries if blocks have counts.
std::string size_text(const ScenarioReport &report, std::int64_t bytes);

} // namespace nbrhood_tools::explain
