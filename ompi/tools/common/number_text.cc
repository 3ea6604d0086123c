// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "number_text.h"

#include <cmath>
#include <cstdio>

namespace nbrhood_tools {

std::string number_text(double value, const char *format)
{
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string bytes_text(double bytes)
{
    const char *const units[] = {"", "K", "M", "G", "T"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit)
        bytes /= 1024;
    const bool fraction = unit > 0 && bytes < 9.95 && bytes != std::floor(bytes);
    return number_text(bytes, fraction ? "%.1f" : "%.0f") + units[unit];
}

std::string time_text(double seconds)
{
    const char *const units[] = {" us", " ms", " s"};
    double value = seconds * 1e6;
    int unit = 0;
    for (; value >= 999.5 && unit < 2; ++unit)
        value /= 1000;
    return number_text(value, value < 9.95 ? "%.1f" : "%.0f") + units[unit];
}

} // namespace nbrhood_tools
