// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages and blocks of the pattern of one rank.
#pragma once

#include "algorithms/toolkit/known_ranks.h"
#include "algorithms/toolkit/traffic.h"
#include "pattern/pattern.h"

namespace nbrhood {

// The traffic of one rank: `direct` as if each edge were a message, `relayed` by the pattern, whose
// peers must be known ranks. Messages that are only sent for large blocks are left out. All
// ranks together have the sums and the busiest of the graph: see Traffic::merge_member. phases: how
// many messages wait for one another, which one rank cannot see.
Traffic traffic_of(const Pattern &pattern, const Neighbourhood &neighbourhood,
                   const KnownRanks &known_ranks, std::int64_t phases);

} // namespace nbrhood
