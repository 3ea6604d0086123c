// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of one allgather, for the evaluation.
#pragma once

#include "analysis/flow.h"
#include "allgather/operations.h"

namespace nbrhood {

// Messages carry ranges of blocks, so that thousands of ranks fit into memory: a Flow made from
// single blocks would name each block on each rank. Ranks that are not in locality order copy each
// block from the image to its slot (allgather/plan.h). patterns[r] belongs to rank r. Throws
// std::invalid_argument for patterns that are not proved (allgather_proof.h).
Flow flow_of_allgather(const std::vector<AllgatherPattern> &patterns, const AllgatherShape &shape,
                       std::uint64_t block_bytes);

} // namespace nbrhood
