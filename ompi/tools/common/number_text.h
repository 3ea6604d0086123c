// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Numbers for people.
#pragma once

#include <string>

namespace nbrhood_tools {

/// A number in one conversion of printf for a double.
std::string number_text(double value, const char *format);

/// Bytes with two or three digits: "812", "1.2K", "34M".
std::string bytes_text(double bytes);

/// A time in a suitable unit: "812 us", "1.2 ms", "34 s".
std::string time_text(double seconds);

} // namespace nbrhood_tools
