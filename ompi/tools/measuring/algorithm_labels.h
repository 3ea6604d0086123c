// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The names of algorithms that the user wants to compare.
#pragma once

#include "environment.h"

#include <string>
#include <vector>

namespace nbrhood_tools {

/// The names of coll/nbrhood's algorithms for neighbourhood collectives, with "auto" and "default".
std::vector<std::string> neighbourhood_algorithms();

/// The labels for the list of --algorithms: stock first, since all ratios refer to it; then, if
/// requested, its twin "stock#2", whose ratio to stock shows the noise of the run. Throws
/// OptionError for a name that is neither "stock" nor among `known`, with a message that lists
/// these.
std::vector<std::string> complete_labels(const std::vector<std::string> &asked,
                                         const std::vector<std::string> &known, bool with_twin);

/// Says on stderr that the component is not loaded, if so; then all algorithms are Open MPI's own.
/// Returns whether it is loaded. Called on rank 0.
bool warn_unless_loaded(const char *program, const Environment &environment);

/// Warns on stderr about algorithms that do not serve these collectives (names such as
/// "neighbor_allgather"). Needs MPI initialised. Called on rank 0.
void warn_about_algorithms(const char *program, const Environment &environment,
                           const std::vector<std::string> &labels,
                           const std::vector<std::string> &collectives);

} // namespace nbrhood_tools
