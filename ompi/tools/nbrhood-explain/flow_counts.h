// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

/// Sums over messages, by rank and by distance.
#pragma once

#include "analysis.h"

#include "analysis/evaluation.h"
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

/// Messages and bytes of one call, by distance.
Counts count(const nbrhood::Flow &flow, const Layout &layout);

/// Bytes that ranks stage.
Amount staging_of(const nbrhood::Flow &flow);

/// When each phase has messages in flight, in the order of their beginnings.
std::vector<PhaseSpan> phases_of(const nbrhood::Flow &flow,
                                 const std::vector<nbrhood::Interval> &timeline);

} // namespace nbrhood_tools::explain
