// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The answers to a user's questions on a graph: whether the component pays, up to which size, the
// cost of the creation, and whether another algorithm is faster than the choice of `auto`.
#pragma once

#include "report.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// Speed-ups that differ by a smaller factor are called the same, because the evaluation is not
/// more exact (test/simgrid/README.md).
constexpr double same_time = 1.05;

/// Derives the answers from a report whose tables and decision are complete: one for each size, in
/// their order. `default` counts as fast as direct, which sends the same messages. Empty if direct
/// is missing.
std::vector<SizeAnswer> find_answers(const ScenarioReport &report);

/// Whether events prefer another algorithm to the choice of `auto`, by more than same_time.
bool prefers_another(const SizeAnswer &answer);

/// The answers in words, one statement per element. Called for the printed report.
std::vector<std::string> answer_statements(const ScenarioReport &report);

} // namespace nbrhood_tools::explain
