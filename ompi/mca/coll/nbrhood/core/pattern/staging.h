// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How the staging of a pattern is used.
#pragma once

#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

// By staging block: whether the block, once all sizes are known, lies next to the blocks before and
// after it in memory, and not inside the message that brought it. That is so if the block comes in
// parts, is copied from the send buffer, or comes in a message that is only a run of staging
// blocks, which then arrives in place. A run of adjacent blocks is sent without copies. Programs
// use this, and the analysis counts copies with it.
std::vector<char> adjacent_staging(const Pattern &pattern);

// Whether the slices are consecutive staging blocks, all whole.
bool is_staging_run(const std::vector<Slice> &slices);

} // namespace nbrhood
