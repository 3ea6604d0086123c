// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "run.h"

#include <cmath>

namespace nbrhood_tools::spmm {

RatioGroups groups_of(const Run &run)
{
    RatioGroups groups;
    for (const Comparison &comparison : run.comparisons) {
        const Configuration &c = comparison.configuration;
        const std::string title = name_of(c.operation) + " " + name_of(c.variant) + ", " + c.asked;
        for (const MethodResult &result : comparison.methods)
            if (result.label != "stock" && result.verified && !std::isnan(result.speed_up.value))
                groups.add(title, result.label, result.speed_up);
    }
    return groups;
}

} // namespace nbrhood_tools::spmm
