// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Shared code of the gnuplot scripts of all pictures.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace nbrhood_tools {

/// The text as a string of gnuplot's language.
std::string gnuplot_string(const std::string &text);

/// Begins a script for an SVG picture of this many pixels.
std::string begin_script(int width, int height);

/// The colour of the n-th curve or activity; colour-blind readers can distinguish the first six,
/// too.
std::string colour(std::size_t number);

/// A step of 1, 2 or 5 times a power of ten, so that about `most` steps make up `length`; at least
/// 1.
double step_of_tics(double length, int most);

/// Numbers of a row of data.
std::string row_text(std::initializer_list<double> numbers);

/// A block of data with one line for each row.
std::string data_block(const std::string &name, const std::vector<std::string> &rows);

/// A plot command of all parts; an empty frame if there are none.
std::string plot_command(const std::vector<std::string> &parts);

} // namespace nbrhood_tools
