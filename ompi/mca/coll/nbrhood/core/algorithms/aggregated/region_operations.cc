// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Turns the messages between regions into the operations of every member of a region: gather (s),
// inter-region (g) and redistribute (r) in the notation of Collom, Li, Bienz 2023, section 3.2.
#include <algorithm>

#include "algorithms/aggregated/member_pattern.h"
#include "algorithms/aggregated/region_relays.h"

namespace nbrhood {

// The operations of one member under construction. Messages of one phase between two members are
// merged, so that there is at most one message for each ordered pair and phase.
struct RegionRelays::MemberPlan {
    std::uint32_t staging_blocks = 0;
    bool local_edges_combined = false;
    std::map<Rank, std::vector<Slice>> gather_sends;
    std::map<Rank, std::vector<Slice>> gather_receives;
    std::map<Rank, std::vector<Slice>> redistribute_sends;
    std::map<Rank, std::vector<Slice>> redistribute_receives;
    struct Inter {
        Region other;
        Operation operation;
    };
    std::vector<Inter> inter_sends;
    std::vector<Inter> inter_receives;
    std::vector<std::pair<Slice, Slice>> copies; // from staging to this rank's own slots

    // See Load::copies.
    std::int64_t count_copies() const
    {
        auto count = static_cast<std::int64_t>(copies.size());
        const auto add = [&count](const std::vector<Slice> &slices, bool sends) {
            const auto copied = [sends](const Slice &slice) {
                return sends || slice.space == Space::receive;
            };
            count += slices.size() > 1 ? std::count_if(slices.begin(), slices.end(), copied) : 0;
        };
        for (const bool sends : {true, false}) {
            for (const auto *messages : {sends ? &gather_sends : &gather_receives,
                                         sends ? &redistribute_sends : &redistribute_receives}) {
                for (const auto &entry : *messages) {
                    add(entry.second, sends);
                }
            }
            for (const Inter &message : sends ? inter_sends : inter_receives) {
                add(message.operation.slices, sends);
            }
        }
        return count;
    }

    Slice new_staging_block() { return Slice{Space::staging, staging_blocks++}; }

    std::vector<std::int32_t> encode() const
    {
        std::vector<Operation> operations;
        const auto put = [&](OperationKind kind, std::uint8_t phase, const auto &messages) {
            for (const auto &[peer, slices] : messages) {
                operations.push_back(Operation{kind, Carry::combined, phase, peer, 0, slices});
            }
        };
        const auto put_inter = [&](const std::vector<Inter> &messages) {
            for (const Inter &message : messages) {
                operations.push_back(message.operation);
            }
        };
        put(OperationKind::receive, kGather, gather_receives);
        put_inter(inter_receives);
        put(OperationKind::receive, kRedistribute, redistribute_receives);
        put(OperationKind::send, kGather, gather_sends);
        put_inter(inter_sends);
        put(OperationKind::send, kRedistribute, redistribute_sends);
        for (const auto &[from, to] : copies) {
            operations.push_back(Operation{
                OperationKind::copy, Carry::direct, kRedistribute, kNoRank, 0, {from, to}});
        }
        return encode_member(staging_blocks, local_edges_combined, operations);
    }
};

// The operations of all members under construction, for one kind of blocks.
struct RegionRelays::Planner {
    BlockKind kind;
    std::map<Rank, MemberPlan> plans;
    std::map<std::pair<Rank, Rank>, Slice> gathered; // (relay, source): the source's only block

    Slice own_block(std::uint32_t slot) const
    {
        return Slice{Space::send, kind == BlockKind::one_per_rank ? 0 : slot};
    }

    // Gathers a block of a member on a relay. Returns its place there. A rank's only block comes to
    // a relay once, for all its destinations.
    Slice gather(Rank member, std::uint32_t slot, Rank relay)
    {
        if (member == relay) {
            return own_block(slot);
        }
        const auto known = gathered.find({relay, member});
        if (known != gathered.end()) {
            return known->second;
        }
        const Slice staged = plans[relay].new_staging_block();
        gather_to(member, slot, relay, staged);
        if (kind == BlockKind::one_per_rank) {
            gathered[{relay, member}] = staged;
        }
        return staged;
    }

    void gather_to(Rank member, std::uint32_t slot, Rank relay, const Slice &place)
    {
        plans[member].gather_sends[relay].push_back(own_block(slot));
        plans[relay].gather_receives[member].push_back(place);
    }

    // Brings a block from a relay to a receive slot of a member.
    void redistribute(Rank relay, const Slice &block, Rank member, std::uint32_t slot)
    {
        const Slice final_place{Space::receive, slot};
        if (member == relay) {
            plans[relay].copies.emplace_back(block, final_place);
        } else {
            plans[relay].redistribute_sends[member].push_back(block);
            plans[member].redistribute_receives[relay].push_back(final_place);
        }
    }
};

// The blocks of a message, each with its crossings. Both regions find the same order.
std::vector<std::vector<Crossing>> RegionRelays::blocks_of(const Job &job, const Relay &relay,
                                                           BlockKind kind)
{
    std::vector<std::vector<Crossing>> blocks;
    std::map<Rank, std::size_t> of_source;
    for (const Crossing &crossing : relay.crossings) {
        const Rank source = job.direction == outgoing ? crossing.inside : crossing.outside;
        const auto known = of_source.find(source);
        if (kind == BlockKind::one_per_rank && known != of_source.end()) {
            blocks[known->second].push_back(crossing);
        } else {
            of_source[source] = blocks.size();
            blocks.push_back({crossing});
        }
    }
    return blocks;
}

void RegionRelays::plan_outgoing(Planner &planner) const
{
    for (const auto &[job, relay] : jobs_) {
        if (job.direction != outgoing) {
            continue;
        }
        Operation send{OperationKind::send, Carry::combined, kInter,
                       relay.outside,       job.component,   {}};
        for (const auto &block : blocks_of(job, relay, planner.kind)) {
            send.slices.push_back(
                planner.gather(block.front().inside, block.front().slot, relay.inside));
        }
        planner.plans[relay.inside].inter_sends.push_back({job.other, std::move(send)});
    }
}

void RegionRelays::plan_incoming(Planner &planner) const
{
    for (const auto &[job, relay] : jobs_) {
        if (job.direction != incoming) {
            continue;
        }
        Operation receive{OperationKind::receive, Carry::combined, kInter,
                          relay.outside,          job.component,   {}};
        for (const auto &block : blocks_of(job, relay, planner.kind)) {
            if (block.size() == 1 && block.front().inside == relay.inside) {
                receive.slices.push_back(Slice{Space::receive, block.front().slot});
                continue;
            }
            const Slice staged = planner.plans[relay.inside].new_staging_block();
            receive.slices.push_back(staged);
            for (const Crossing &end : block) {
                planner.redistribute(relay.inside, staged, end.inside, end.slot);
            }
        }
        planner.plans[relay.inside].inter_receives.push_back({job.other, std::move(receive)});
    }
}

void RegionRelays::plan_local(Planner &planner) const
{
    for (const auto &entry : local_relay_) {
        planner.plans[entry.first].local_edges_combined = true;
    }
    for (const Crossing &edge : edges_->local()) {
        const auto found = local_relay_.find(edge.inside);
        if (found == local_relay_.end()) {
            continue;
        }
        const Rank relay = found->second;
        const std::uint32_t slot = edges_->receive_slot(edge);
        if (edge.outside == relay && planner.kind == BlockKind::one_per_edge) {
            planner.gather_to(edge.inside, edge.slot, relay, Slice{Space::receive, slot});
        } else {
            planner.redistribute(relay, planner.gather(edge.inside, edge.slot, relay), edge.outside,
                                 slot);
        }
    }
}

RegionRelays::Planner RegionRelays::plan(BlockKind kind) const
{
    Planner planner{kind, {}, {}};
    plan_local(planner);
    plan_outgoing(planner);
    plan_incoming(planner);
    return planner;
}

std::map<Rank, std::vector<std::int32_t>> RegionRelays::encode_operations(BlockKind kind) const
{
    Planner planner = plan(kind);
    std::map<Rank, std::vector<std::int32_t>> words;
    for (Rank member : edges_->members()) {
        words[member] = planner.plans[member].encode();
    }
    return words;
}

std::map<Rank, Load> RegionRelays::count_operations(BlockKind kind, Load &sent) const
{
    const KnownRanks &known = edges_->known_ranks();
    std::map<Rank, Load> ends;
    for (const auto &[member, plan] : plan(kind).plans) {
        Load &own = ends[member];
        own.copies += plan.count_copies();
        for (const auto *messages : {&plan.gather_sends, &plan.redistribute_sends}) {
            for (const auto &[peer, slices] : *messages) {
                const auto blocks = static_cast<std::int64_t>(slices.size());
                for (Load *load : {&own, &ends[peer], &sent}) {
                    load->add(known.link(member, peer), true, 1, blocks);
                }
            }
        }
        const auto add_inter = [&](const MemberPlan::Inter &message, Load &load) {
            load.add(edges_->link_to(message.other), false, 1,
                     static_cast<std::int64_t>(message.operation.slices.size()));
        };
        for (const MemberPlan::Inter &send : plan.inter_sends) {
            add_inter(send, own);
            add_inter(send, sent);
        }
        for (const MemberPlan::Inter &receive : plan.inter_receives) {
            add_inter(receive, own);
        }
    }
    return ends;
}

} // namespace nbrhood
