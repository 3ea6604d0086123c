// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builds, proves, counts and models the patterns of a graph on a machine.
#pragma once

#include "report.h"
#include "scenario.h"

#include "select/parameters.h"

#include <functional>
#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// The parameters of the component that influence patterns, and the requested results.
struct AnalysisSettings {
    std::vector<std::string>
        algorithms; ///< rows of the registry; only those that serve the blocks are used
    bool all_algorithms = false;           ///< none is named: some may be left out (left_out)
    std::vector<std::int64_t> block_bytes; ///< for graphs without counts
    std::vector<std::int64_t> entry_bytes; ///< for graphs with counts
    nbrhood::Costs costs = nbrhood::default_costs();
    nbrhood::DieCosts die_costs;
    nbrhood::ParameterValues values; ///< of the component's parameters
    bool prove = false;
    bool pictures = false; ///< keep the data that only nbrhood-plot needs
};

/// The number of ranks in a timeline.
constexpr int timeline_ranks = 64;

/// Called before each step of steps_of(), with a description of the step.
using Tell = std::function<void(const std::string &)>;

/// The number of steps of analyse(). recorded: whether there is a recording.
std::size_t steps_of(const AnalysisSettings &settings, nbrhood::BlockKind kind, bool has_counts,
                     bool recorded);

/// Computes all results. recording: null, or patterns that a run recorded, which come first in the
/// report and are always proved. Only the patterns of one algorithm are in memory at a time. Throws
/// InputError if recorded patterns cannot run.
ScenarioReport analyse(const Scenario &scenario, const Layout &layout,
                       const AnalysisSettings &settings, const Recording *recording,
                       const Tell &tell);

} // namespace nbrhood_tools::explain
