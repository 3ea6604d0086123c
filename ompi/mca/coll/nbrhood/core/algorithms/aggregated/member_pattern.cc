// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/member_pattern.h"

#include <algorithm>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

void require(bool right)
{
    if (!right) {
        throw BadMessage("operations that do not fit their rank");
    }
}

// Counts the slots, blocks and staging that the relayed operations of a member fill and send.
class Account {
public:
    Account(const Pattern &pattern, const MemberFacts &facts)
        : facts_(facts), filled_(facts.neighbourhood->in.size(), 0),
          sent_(pattern.kind == BlockKind::one_per_rank ? 1 : facts.neighbourhood->out.size(), 0),
          staged_(pattern.staging_blocks, kNothing)
    {}

    void add(const Operation &operation)
    {
        require(!operation.slices.empty());
        for (const Slice &slice : operation.slices) {
            require(slice.whole() && slice.count == 1);
        }
        if (operation.kind == OperationKind::copy) {
            require(operation.carry == Carry::direct && operation.slices.size() == 2
                    && operation.slices[0].space == Space::staging);
            phase_of(operation.slices[0]);
            fill_slot(operation.slices[1]);
            return;
        }
        require(operation.carry == Carry::combined && operation.phase >= kGather
                && operation.phase <= kRedistribute);
        const Rank self = facts_.neighbourhood->rank;
        require(operation.peer >= 0 && operation.peer < facts_.ranks && operation.peer != self);
        require(operation.phase == kInter
                || (facts_.known_ranks->knows(operation.peer)
                    && facts_.known_ranks->local(self, operation.peer)));
        for (const Slice &slice : operation.slices) {
            if (operation.kind == OperationKind::receive) {
                fill(slice, operation.phase);
            } else {
                send(slice, operation.phase);
            }
        }
    }

    // relayed(peer): whether the blocks of edges to and from the peer are relayed.
    template <typename Relayed>
    void close(BlockKind kind, const Relayed &relayed) const
    {
        for (std::size_t slot = 0; slot < filled_.size(); ++slot) {
            require(filled_[slot] == (relayed(facts_.neighbourhood->in[slot].peer) ? 1 : 0));
        }
        const std::vector<EdgeEnd> &out = facts_.neighbourhood->out;
        if (kind == BlockKind::one_per_rank) {
            const bool leaves = std::any_of(out.begin(), out.end(),
                                            [&](const EdgeEnd &end) { return relayed(end.peer); });
            require((sent_[0] > 0) == leaves);
            return;
        }
        for (std::size_t slot = 0; slot < sent_.size(); ++slot) {
            require(sent_[slot] == (relayed(out[slot].peer) ? 1 : 0));
        }
    }

private:
    static constexpr std::uint8_t kNothing = 0xff;

    std::uint8_t phase_of(const Slice &staging) const
    {
        require(staging.block < staged_.size() && staged_[staging.block] != kNothing);
        return staged_[staging.block];
    }

    void fill_slot(const Slice &slice)
    {
        require(slice.space == Space::receive && slice.block < filled_.size());
        ++filled_[slice.block];
    }

    void fill(const Slice &slice, std::uint8_t phase)
    {
        if (slice.space != Space::staging) {
            fill_slot(slice);
            return;
        }
        require(slice.block < staged_.size() && staged_[slice.block] == kNothing);
        staged_[slice.block] = phase;
    }

    // Staged blocks arrive in an earlier phase, so that no ranks wait for each other in a cycle.
    void send(const Slice &slice, std::uint8_t phase)
    {
        if (slice.space == Space::staging) {
            require(phase_of(slice) < phase);
        } else {
            require(slice.space == Space::send && slice.block < sent_.size());
            ++sent_[slice.block];
        }
    }

    const MemberFacts &facts_;
    std::vector<std::int64_t> filled_; // by receive slot
    std::vector<std::int64_t> sent_;   // by block
    std::vector<std::uint8_t> staged_; // by staging block: the phase in which the block comes
};

} // namespace

std::vector<std::int32_t> encode_member(std::uint32_t staging_blocks, bool local_edges_combined,
                                        const std::vector<Operation> &operations)
{
    std::vector<std::int32_t> words{static_cast<std::int32_t>(staging_blocks),
                                    local_edges_combined ? 1 : 0};
    for (const Operation &operation : operations) {
        encode_operation(operation, words);
    }
    return words;
}

void read_member(WordReader words, const MemberFacts &facts, Pattern &pattern)
{
    const Neighbourhood &own = *facts.neighbourhood;
    // Each staging block appears in at least one operation.
    pattern.staging_blocks = static_cast<std::uint32_t>(words.take_count());
    const bool local_edges_combined = words.take_flag();
    const auto direct = [&](Rank peer) {
        return !local_edges_combined && peer != kNoRank && facts.known_ranks->local(own.rank, peer);
    };
    Account account(pattern, facts);
    while (words.left() != 0) {
        pattern.operations.push_back(decode_operation(words));
        account.add(pattern.operations.back());
    }
    account.close(pattern.kind,
                  [&](Rank peer) { return peer != kNoRank && peer != own.rank && !direct(peer); });
    append_edges(own, Carry::direct, kLocal, direct, pattern);
    append_edges(
        own, Carry::direct_if_large, kLarge, [&](Rank peer) { return !direct(peer); }, pattern);
    append_self_copies(own, pattern);
}

} // namespace nbrhood
