// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/direct.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace nbrhood {
namespace {

// The slots of `ends` in the order in which messages of a pair must be posted: by key; otherwise
// peers stay in the application's order, which spreads the load of the first messages.
std::vector<std::uint32_t> posting_order(const std::vector<EdgeEnd> &ends)
{
    std::vector<std::uint32_t> slots(ends.size());
    std::iota(slots.begin(), slots.end(), 0U);
    std::stable_sort(slots.begin(), slots.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return ends[a].key < ends[b].key; });
    return slots;
}

std::uint32_t send_block(BlockKind kind, std::uint32_t slot)
{
    return kind == BlockKind::one_per_rank ? 0U : slot;
}

} // namespace

void append_edges(const Neighbourhood &neighbourhood, Carry carry, std::uint8_t phase,
                  const std::function<bool(Rank)> &choose, Pattern &pattern)
{
    const auto append = [&](OperationKind kind, const EdgeEnd &end, const Slice &slice) {
        if (end.peer != kNoRank && end.peer != neighbourhood.rank && choose(end.peer)) {
            pattern.operations.push_back(Operation{kind, carry, phase, end.peer, end.key, {slice}});
        }
    };
    for (std::uint32_t slot : posting_order(neighbourhood.in)) {
        append(OperationKind::receive, neighbourhood.in[slot], Slice{Space::receive, slot});
    }
    for (std::uint32_t slot : posting_order(neighbourhood.out)) {
        append(OperationKind::send, neighbourhood.out[slot],
               Slice{Space::send, send_block(pattern.kind, slot)});
    }
}

void append_self_copies(const Neighbourhood &neighbourhood, Pattern &pattern)
{
    std::map<std::int32_t, std::uint32_t> sent; // key -> slot
    for (std::uint32_t slot = 0; slot < neighbourhood.out.size(); ++slot) {
        if (neighbourhood.out[slot].peer == neighbourhood.rank) {
            sent[neighbourhood.out[slot].key] = slot;
        }
    }
    for (std::uint32_t slot = 0; slot < neighbourhood.in.size(); ++slot) {
        const EdgeEnd &end = neighbourhood.in[slot];
        const auto found = end.peer == neighbourhood.rank ? sent.find(end.key) : sent.end();
        if (found != sent.end()) {
            pattern.operations.push_back(
                Operation{OperationKind::copy,
                          Carry::direct,
                          kLocal,
                          neighbourhood.rank,
                          end.key,
                          {Slice{Space::send, send_block(pattern.kind, found->second)},
                           Slice{Space::receive, slot}}});
        }
    }
}

Pattern build_direct(const Neighbourhood &neighbourhood, BlockKind kind)
{
    Pattern pattern;
    pattern.rank = neighbourhood.rank;
    pattern.kind = kind;
    append_edges(
        neighbourhood, Carry::direct, kLocal, [](Rank) { return true; }, pattern);
    append_self_copies(neighbourhood, pattern);
    return pattern;
}

} // namespace nbrhood
