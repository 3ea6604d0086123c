// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "json.h"

#include <cmath>

namespace nbrhood_tools {

Json finite_or_null(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

void add_speed_up(Json &json, const Ratio &speed_up)
{
    const Interval interval = speed_up.interval();
    json["speed_up"] = finite_or_null(speed_up.value);
    json["speed_up_interval"] = {finite_or_null(interval.low), finite_or_null(interval.high)};
}

void add_break_even(Json &json, double calls)
{
    json["break_even_calls"] = finite_or_null(calls);
    json["never_breaks_even"] = std::isinf(calls);
}

std::string file_text(Json json, bool complete)
{
    json["complete"] = complete;
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nbrhood_tools
