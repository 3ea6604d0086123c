// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The bytes of a call on the links between GPU dies and into nodes, and the time.
#pragma once

#include "scenario.h"

#include "analysis/die_evaluation.h"
#include "common/json.h"

#include <optional>

namespace nbrhood_tools::explain {

struct ScenarioReport;

/// An algorithm with blocks of one size.
struct DieReport {
    nbrhood::DieTraffic traffic;
    nbrhood::DieEvaluation times; ///< without those of messages
    double speed_up = 0;          ///< over direct; 0 if direct was not requested
};

/// Nothing if the layout has no links.
std::optional<DieReport> find_dies(const nbrhood::Flow &flow, const Layout &layout,
                                   const nbrhood::DieCosts &costs);

/// Two tables: bytes into and out of nodes and times by size, and with the largest blocks the bytes
/// over each link. Nothing if no algorithm has a DieReport.
void print_dies(const ScenarioReport &report, const Layout &layout, const nbrhood::DieCosts &costs);

Json to_json(const DieReport &dies);

} // namespace nbrhood_tools::explain
