// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "json.h"

#include <cmath>

namespace nbrhood_tools {

Json finite_or_null(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string file_text(Json json, bool complete)
{
    json["complete"] = complete;
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nbrhood_tools
