// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What a user wants to know of a graph: does it pay, from which size on no longer, what does it
// cost to create, and is there something faster than what `auto` takes.
#pragma once

#include "report.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// Speed-ups that differ by a smaller factor are called the same: the evaluation is no more exact
/// (test/simgrid/README.md).
constexpr double same_time = 1.05;

/// Reads the answers off a report whose tables and decision are complete: one for each size, in
/// their order. `default` counts as fast as direct, which sends the same messages. Empty where
/// direct is missing.
std::vector<SizeAnswer> find_answers(const ScenarioReport &report);

/// Whether events prefer another algorithm than what `auto` takes, by more than same_time.
bool prefers_another(const SizeAnswer &answer);

/// The answers in words, a statement an element. Called for the printed report.
std::vector<std::string> answer_statements(const ScenarioReport &report);

} // namespace nbrhood_tools::explain
