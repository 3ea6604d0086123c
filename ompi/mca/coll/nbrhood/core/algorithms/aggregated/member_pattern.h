// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages of the leader of a region to its members: each member's operations.
#pragma once

#include "algorithms/toolkit/known_ranks.h"
#include "pattern/pattern.h"
#include "pattern/message_words.h"

namespace nbrhood {

// Facts with which a member checks and completes its operations.
struct MemberFacts {
    const Neighbourhood *neighbourhood = nullptr;
    const KnownRanks *known_ranks = nullptr;
    Rank ranks = 0; // of the communicator
};

// The operations of one member as words: its number of staging blocks, whether its edges within the
// region are combined, too, and its relayed messages and copies.
std::vector<std::int32_t> encode_member(std::uint32_t staging_blocks, bool local_edges_combined,
                                        const std::vector<Operation> &operations);

// Reads these words into a pattern whose rank and kind are set, and adds the direct messages.
// Throws BadMessage unless the operations fill each relayed slot and each staging block exactly
// once, send each relayed block, and name only existing slots, blocks, phases and ranks.
void read_member(WordReader words, const MemberFacts &facts, Pattern &pattern);

} // namespace nbrhood
