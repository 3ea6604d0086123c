// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proof by provenance: runs the patterns of all ranks on blocks that remember where they come from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/pattern.h"

namespace nbrhood {

// Says which blocks are larger than the combining threshold T, and so travel in `direct_if_large`
// operations, and not in `direct_if_small` ones.
using IsLarge = std::function<bool(const Edge &)>;

// Simulates one collective call over all ranks: patterns[r] and neighbourhoods[r] belong to rank r.
// Returns the errors, one sentence each (at most 20), or nothing if the patterns are proved: each
// send has its receive with the same key and number of slices, nothing waits forever, a rank
// without edges neither sends nor receives, and every receive slot ends with exactly the block it
// must hold, received once. Used by the tests and by tools; a call never runs it.
std::vector<std::string> prove(const std::vector<Pattern> &patterns,
                               const std::vector<Neighbourhood> &neighbourhoods,
                               const IsLarge &is_large);

} // namespace nbrhood
