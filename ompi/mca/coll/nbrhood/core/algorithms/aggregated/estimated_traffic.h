// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Estimate of the traffic of relaying between regions, before any leader knows the edges of its
// region.
#pragma once

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/toolkit/facts.h"
#include "algorithms/toolkit/traffic.h"

namespace nbrhood {

// The relayed half of what RegionRelays counts, about, with facts.ends and default parameters: as
// if all regions were equal, and where that leaves something open, the least that there can be.
Traffic estimated_traffic(const Facts &facts, Scheme scheme);

} // namespace nbrhood
