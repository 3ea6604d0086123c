// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/pattern_traffic.h"

#include <cmath>
#include <map>
#include <tuple>

#include "pattern/staging.h"

namespace nbrhood {
namespace {

// The loads to which a message is added: that of this rank, and that of all senders.
struct Adding {
    const KnownRanks &known;
    Rank self;
    Load &sent;
    Load &own;

    void add(Rank peer, bool sends, std::int64_t blocks) const
    {
        add(known.link(self, peer), known.local(self, peer), sends, 1, blocks);
    }
    void add(Link link, bool local, bool sends, std::int64_t messages, std::int64_t blocks) const
    {
        own.add(link, local, messages, blocks);
        if (sends) {
            sent.add(link, local, messages, blocks);
        }
    }
};

void count_direct(const Neighbourhood &neighbourhood, const KnownRanks &known, Traffic &traffic)
{
    const Adding adding{known, neighbourhood.rank, traffic.direct, traffic.busiest_direct};
    for (const bool sends : {false, true}) {
        for (const EdgeEnd &end : sends ? neighbourhood.out : neighbourhood.in) {
            if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
                adding.add(end.peer, sends, 1);
            }
        }
    }
    traffic.leaving_direct = traffic.direct.blocks_over(Link::network);
}

std::int64_t blocks_of(const Operation &operation)
{
    std::int64_t blocks = 0;
    for (const Slice &slice : operation.slices) {
        blocks += slice.count;
    }
    return blocks;
}

// Messages with parts of blocks, which add up to whole blocks.
class Parts {
public:
    void add(const Adding &adding, const Operation &operation)
    {
        const bool sends = operation.kind == OperationKind::send;
        adding.add(operation.peer, sends, 0);
        double &sum = sums_[{operation.peer, sends}];
        for (const Slice &slice : operation.slices) {
            sum += slice.count * static_cast<double>(slice.last - slice.first) / slice.of;
        }
    }
    // Adds the blocks. Those over the same link are added up before rounding.
    void add_blocks(const Adding &adding) const
    {
        std::map<std::tuple<Link, bool, bool>, double> sums;
        for (const auto &[end, blocks] : sums_) {
            const auto [peer, sends] = end;
            sums[{adding.known.link(adding.self, peer), adding.known.local(adding.self, peer),
                  sends}] += blocks;
        }
        for (const auto &[way, blocks] : sums) {
            const auto [link, local, sends] = way;
            adding.add(link, local, sends, 0, std::llround(blocks));
        }
    }

private:
    std::map<std::pair<Rank, bool>, double> sums_; // blocks, by peer and whether they are sent
};

// The blocks of a message that this rank copies: see Load::copies.
std::int64_t copies_of(const Operation &operation, const std::vector<char> &adjacent)
{
    const bool sends = operation.kind == OperationKind::send;
    const auto &slices = operation.slices;
    if (slices.size() == 1 && slices[0].count == 1) {
        return 0;
    }
    if (is_staging_run(slices)) {
        bool lies_together = true;
        for (const Slice &slice : slices) {
            for (std::uint32_t i = 0; i < slice.count; ++i) {
                lies_together = lies_together && adjacent.at(slice.block + i) != 0;
            }
        }
        if (lies_together) {
            return 0;
        }
    }
    std::int64_t copies = 0;
    for (const Slice &slice : slices) {
        copies += sends || slice.space == Space::receive ? slice.count : 0;
    }
    return copies;
}

} // namespace

Traffic traffic_of(const Pattern &pattern, const Neighbourhood &neighbourhood,
                   const KnownRanks &known_ranks, std::int64_t phases)
{
    Traffic traffic;
    count_direct(neighbourhood, known_ranks, traffic);
    const Adding adding{known_ranks, pattern.rank, traffic.relayed, traffic.busiest_relayed};
    const std::vector<char> adjacent = adjacent_staging(pattern);
    Parts parts;
    for (const Operation &operation : pattern.operations) {
        if (operation.kind != OperationKind::copy
            && travels_in_bytes(operation.carry, operation.phase)) {
            parts.add(adding, operation);
            continue;
        }
        if (operation.carry == Carry::direct_if_large
            || operation.carry == Carry::direct_if_small) {
            continue;
        }
        if (operation.kind == OperationKind::copy) {
            const bool self_edge = operation.slices[0].space == Space::send
                                   && operation.slices[1].space == Space::receive;
            traffic.busiest_relayed.copies += self_edge ? 0 : 1;
            continue;
        }
        adding.add(operation.peer, operation.kind == OperationKind::send, blocks_of(operation));
        traffic.busiest_relayed.copies += copies_of(operation, adjacent);
    }
    parts.add_blocks(adding);
    traffic.leaving_relayed = traffic.relayed.blocks_over(Link::network);
    traffic.phases = phases;
    return traffic;
}

} // namespace nbrhood
