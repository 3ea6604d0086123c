// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The gnuplot program, which draws the pictures.
#pragma once

#include <string>

namespace nbrhood_tools {

/// Throws InputError if gnuplot cannot be run. Called before the work whose results gnuplot will
/// draw.
void check_gnuplot();

/// Runs gnuplot with the script as its standard input and returns its standard output: the picture,
/// unless the script sets another output. Throws InputError with gnuplot's own message if it fails
/// or draws no SVG picture.
std::string run_gnuplot(const std::string &script);

} // namespace nbrhood_tools
