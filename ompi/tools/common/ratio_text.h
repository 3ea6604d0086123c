// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ratios and their times as text, for the tables of the programs that compare algorithms.
#pragma once

#include "statistics.h"

#include <string>

namespace nbrhood_tools {

/// "1.23"; "-" for NaN, the value if there is nothing to compare with.
std::string ratio_text(const Ratio &ratio);

/// "[1.20, 1.26]"; "-" if there is only one sample, which gives no spread.
std::string interval_text(const Ratio &ratio);

/// The calls at which a set-up breaks even, rounded up; "never" for infinity, "-" for NaN.
std::string break_even_text(double calls);

} // namespace nbrhood_tools
