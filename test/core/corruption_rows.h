// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks that receive corrupted messages during a build of one of the algorithms of allgathers.
#pragma once

#include "corruption.h"

namespace nbrhood::test {

// See corrupt_builders(). Each function uses graphs on which its algorithm sends many messages.
CorruptionResult corrupt_halving(const std::uint8_t *data, std::size_t size);
CorruptionResult corrupt_friends(const std::uint8_t *data, std::size_t size);
CorruptionResult corrupt_grids(const std::uint8_t *data, std::size_t size);

} // namespace nbrhood::test
