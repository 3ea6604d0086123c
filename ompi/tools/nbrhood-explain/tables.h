// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for people.
#pragma once

#include "report.h"
#include "scenario.h"

namespace nbrhood_tools::explain {

/// The machine, and the costs by which times are modelled.
void print_title(const Layout &layout, const nbrhood::Costs &costs);

/// The tables of one graph: creation, traffic, times.
void print_report(const ScenarioReport &report, const Layout &layout, const nbrhood::Costs &costs,
                  const nbrhood::DieCosts &die_costs);

/// An explanation of the figures.
void print_footer();

} // namespace nbrhood_tools::explain
