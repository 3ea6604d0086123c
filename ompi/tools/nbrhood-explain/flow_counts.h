// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results that follow from the messages of a call.
#pragma once

#include "analysis.h"

#include "analysis/flow.h"

#include <cstdint>
#include <vector>

namespace nbrhood_tools::explain {

/// Sums of each rank; the report keeps their mean and maximum.
class Sums {
public:
    explicit Sums(nbrhood::Rank ranks);
    void add(nbrhood::Rank from, nbrhood::Rank to, std::int64_t value);
    Amount amount() const;

private:
    std::vector<std::int64_t> sent_, received_;
};

/// The sizes that were asked for, ascending and each once.
std::vector<std::int64_t> each_once(std::vector<std::int64_t> sizes);

/// Adds the counts and times of a call with blocks (or entries) of that many bytes to an
/// algorithm's report, with the first one the data of nbrhood-plot if it is asked for. Returns what
/// it added; the prediction of `auto` and the speed-up are left to the caller.
SizeReport &add_size(const nbrhood::Flow &flow, const Layout &layout,
                     const AnalysisSettings &settings, std::int64_t bytes, AlgorithmReport &report);

/// Sets the speed-ups over the algorithm to which the others are compared, if it is there.
void compare(ScenarioReport &report);

} // namespace nbrhood_tools::explain
