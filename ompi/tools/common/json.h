// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// JSON files of results.
#pragma once

#include "schema.h"
#include "statistics.h"

#include <nlohmann/json.hpp>

#include <string>

namespace nbrhood_tools {

/// Fields stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// JSON has neither infinity nor NaN: null stands for both.
Json finite_or_null(double value);

/// Adds "speed_up" and the two ends of "speed_up_interval".
void add_speed_up(Json &json, const Ratio &speed_up);

/// Adds "break_even_calls", null where there are none, and "never_breaks_even", which tells whether
/// that is why.
void add_break_even(Json &json, double calls);

/// The text of a file, whose last field says whether it is complete; readers refuse a file that the
/// program wrote before its end. Names of files and hosts need not be UTF-8: invalid bytes are
/// replaced.
std::string file_text(Json json, bool complete = true);

} // namespace nbrhood_tools
