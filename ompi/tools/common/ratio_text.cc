// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "ratio_text.h"

#include "number_text.h"

#include <cmath>

namespace nbrhood_tools {

std::string ratio_text(const Ratio &ratio)
{
    return std::isnan(ratio.value) ? "-" : number_text(ratio.value, "%.2f");
}

std::string interval_text(const Ratio &ratio)
{
    const Interval interval = ratio.interval();
    if (std::isnan(interval.low))
        return "-";
    return "[" + number_text(interval.low, "%.2f") + ", " + number_text(interval.high, "%.2f")
           + "]";
}

std::string break_even_text(double calls)
{
    if (std::isnan(calls))
        return "-";
    if (std::isinf(calls))
        return "never";
    return number_text(std::ceil(calls), "%.0f");
}

} // namespace nbrhood_tools
