// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Estimate of the traffic of relaying between regions, before any leader knows the edges of its
// region.
#pragma once

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/toolkit/facts.h"
#include "algorithms/toolkit/traffic.h"

namespace nbrhood {

// An estimate of the relayed traffic that RegionRelays counts, from facts.ends and with default
// parameters. It assumes equal regions; numbers that this does not determine have their lower
// bounds.
Traffic estimated_traffic(const Facts &facts, Scheme scheme);

} // namespace nbrhood
