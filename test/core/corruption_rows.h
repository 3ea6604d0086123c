// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks that receive corrupted messages during a build of one row of the registry, for blocks one
// per rank.
#pragma once

#include "algorithms/registry.h"
#include "corruption.h"

namespace nbrhood::test {

// See corrupt_builders(). Uses graphs on which the row expects a gain, with random values of its
// parameters.
CorruptionResult corrupt_row(const Algorithm &row, const std::uint8_t *data, std::size_t size);

} // namespace nbrhood::test
