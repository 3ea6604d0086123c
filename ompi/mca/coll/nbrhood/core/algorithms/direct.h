// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Direct: one message per edge, as in Open MPI.
#pragma once

#include <functional>

#include "graph/neighbourhood.h"
#include "pattern/pattern.h"

namespace nbrhood {

// The pattern of one message per edge, in the order of the keys within each pair of ranks. Self
// edges become copies. Needs no communication. Throws only std::bad_alloc.
Pattern build_direct(const Neighbourhood &neighbourhood, BlockKind kind);

// Appends to `pattern` one receive (send) for each in-edge (out-edge) to another rank for which
// choose(peer) is true, receives first, ordered by key within each pair of ranks. Shared by all
// algorithms that leave some edges direct.
void append_edges(const Neighbourhood &neighbourhood, Carry carry, std::uint8_t phase,
                  const std::function<bool(Rank)> &choose, Pattern &pattern);

// Appends a copy for each self edge.
void append_self_copies(const Neighbourhood &neighbourhood, Pattern &pattern);

} // namespace nbrhood
