// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "methods.h"

namespace nbrhood_bench {

std::vector<Contestant> make_contestants(const std::vector<std::string> &labels,
                                         const CallSettings &settings)
{
    std::vector<Contestant> contestants;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (SendLayout values : settings.values) {
            // Packed values are what all ratios refer to; the twin only shows the noise, and to
            // Open MPI itself indices say nothing.
            if (is_stock(labels[i]) && values != SendLayout::packed
                && (labels[i] != "stock" || values == SendLayout::indexed))
                continue;
            Contestant contestant;
            contestant.label =
                labels[i] + (values == SendLayout::packed ? "" : "/" + name_of(values));
            contestant.candidate = i;
            contestant.values = values;
            contestants.push_back(contestant);
            if (settings.compute_seconds > 0 && labels[i] != "stock#2") {
                contestant.label += "+compute";
                contestant.with_computation = true;
                contestants.push_back(contestant);
            }
        }
    }
    if (settings.compute_seconds > 0) {
        Contestant computation;
        computation.label = "computation";
        computation.exchanges = false;
        computation.with_computation = true;
        contestants.push_back(computation);
    }
    return contestants;
}

} // namespace nbrhood_bench
