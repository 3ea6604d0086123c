// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The traffic of one rank, counted from its pattern.
#pragma once

#include "algorithms/toolkit/known_ranks.h"
#include "algorithms/toolkit/traffic.h"
#include "pattern/pattern.h"

namespace nbrhood {

// The traffic of one rank: `direct` with one message per edge, `relayed` by the pattern, whose
// peers must be known ranks. Messages that are sent only for large blocks are left out.
// Traffic::merge_member adds up several ranks. phases: the number of phases, which one rank cannot
// see.
Traffic traffic_of(const Pattern &pattern, const Neighbourhood &neighbourhood,
                   const KnownRanks &known_ranks, std::int64_t phases);

} // namespace nbrhood
