// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks that get changed messages while they build by one of the algorithms of allgathers.
#pragma once

#include "corruption.h"

namespace nbrhood::test {

// See corrupt_builders(). Each on graphs on which the algorithm has much to say.
CorruptionResult corrupt_halving(const std::uint8_t *data, std::size_t size);
CorruptionResult corrupt_friends(const std::uint8_t *data, std::size_t size);
CorruptionResult corrupt_grids(const std::uint8_t *data, std::size_t size);

} // namespace nbrhood::test
