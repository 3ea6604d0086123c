// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for programs.
#pragma once

#include "options.h"
#include "report.h"
#include "scenario.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// Writes everything to options.json_file. Returns an empty string, or the reason for a failure.
std::string write_json(const Options &options, const Layout &layout,
                       const std::vector<ScenarioReport> &reports);

/// The part on GPU dies only.
std::string write_gpus(const Options &options, const nbrhood::DieTable &dies);

} // namespace nbrhood_tools::explain
