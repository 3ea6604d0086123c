// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "ratio_text.h"

#include <cmath>
#include <cstdio>

namespace nbrhood_tools {

std::string text_of(double value, const char *format)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string ratio_text(const Ratio &ratio)
{
    return std::isnan(ratio.value) ? "-" : text_of(ratio.value, "%.2f");
}

std::string interval_text(const Ratio &ratio)
{
    const Interval interval = ratio.interval();
    if (std::isnan(interval.low))
        return "-";
    return "[" + text_of(interval.low, "%.2f") + ", " + text_of(interval.high, "%.2f") + "]";
}

std::string break_even_text(double calls)
{
    if (std::isnan(calls))
        return "-";
    if (std::isinf(calls))
        return "never";
    return text_of(std::ceil(calls), "%.0f");
}

} // namespace nbrhood_tools
