// From the messages between regions to the operations of every member of a region: gather (s),
// inter-region (g) and redistribute (r) in the words of the paper's section 3.2.
#include "algorithms/region_edges.h"

namespace nbrhood {

// The operations of one member under construction. Messages of one phase between two members are
// merged, so that there is at most one message for each ordered pair and phase.
struct RegionEdges::MemberPlan {
    std::uint32_t staging_blocks = 0;
    bool local_edges_ride = false;
    std::map<Rank, std::vector<Slice>> gather_sends;
    std::map<Rank, std::vector<Slice>> gather_receives;
    std::map<Rank, std::vector<Slice>> redistribute_sends;
    std::map<Rank, std::vector<Slice>> redistribute_receives;
    std::vector<Operation> inter_sends;
    std::vector<Operation> inter_receives;

    Slice new_staging_block() { return Slice{Space::staging, staging_blocks++, 0, 1}; }

    std::vector<std::int32_t> encode() const
    {
        std::vector<std::int32_t> words{static_cast<std::int32_t>(staging_blocks),
                                        local_edges_ride ? 1 : 0};
        const auto put = [&](OperationKind kind, std::uint8_t phase, const auto &messages) {
            for (const auto &[peer, slices] : messages) {
                encode_operation(Operation{kind, Carry::ride, phase, peer, 0, slices}, words);
            }
        };
        put(OperationKind::receive, kGather, gather_receives);
        for (const Operation &operation : inter_receives) {
            encode_operation(operation, words);
        }
        put(OperationKind::receive, kRedistribute, redistribute_receives);
        put(OperationKind::send, kGather, gather_sends);
        for (const Operation &operation : inter_sends) {
            encode_operation(operation, words);
        }
        put(OperationKind::send, kRedistribute, redistribute_sends);
        return words;
    }
};

void RegionEdges::plan_outgoing(std::map<Rank, MemberPlan> &plans) const
{
    for (const auto &[job, relay] : jobs_) {
        if (job.direction != outgoing) {
            continue;
        }
        Operation send{OperationKind::send, Carry::ride, kInter, relay.outside, job.component, {}};
        for (const Crossing &block : relay.blocks) {
            const Slice own{Space::send, block.slot, 0, 1};
            if (block.inside == relay.inside) {
                send.slices.push_back(own);
                continue;
            }
            const Slice staged = plans[relay.inside].new_staging_block();
            plans[block.inside].gather_sends[relay.inside].push_back(own);
            plans[relay.inside].gather_receives[block.inside].push_back(staged);
            send.slices.push_back(staged);
        }
        plans[relay.inside].inter_sends.push_back(std::move(send));
    }
}

void RegionEdges::plan_incoming(std::map<Rank, MemberPlan> &plans) const
{
    for (const auto &[job, relay] : jobs_) {
        if (job.direction != incoming) {
            continue;
        }
        Operation receive{OperationKind::receive, Carry::ride,   kInter,
                          relay.outside,          job.component, {}};
        for (const Crossing &block : relay.blocks) {
            const Slice final_place{Space::receive, block.slot, 0, 1};
            if (block.inside == relay.inside) {
                receive.slices.push_back(final_place);
                continue;
            }
            const Slice staged = plans[relay.inside].new_staging_block();
            receive.slices.push_back(staged);
            plans[relay.inside].redistribute_sends[block.inside].push_back(staged);
            plans[block.inside].redistribute_receives[relay.inside].push_back(final_place);
        }
        plans[relay.inside].inter_receives.push_back(std::move(receive));
    }
}

void RegionEdges::plan_local(std::map<Rank, MemberPlan> &plans) const
{
    for (const auto &entry : local_relay_) {
        plans[entry.first].local_edges_ride = true;
    }
    for (const Crossing &edge : local_edges_) {
        const auto found = local_relay_.find(edge.inside);
        if (found == local_relay_.end()) {
            continue;
        }
        const Rank relay = found->second;
        const Slice own{Space::send, edge.slot, 0, 1};
        const Slice final_place{Space::receive,
                                local_slots_.at({edge.inside, edge.outside, edge.key}), 0, 1};
        Slice at_relay = own;
        if (edge.inside != relay) {
            at_relay = edge.outside == relay ? final_place : plans[relay].new_staging_block();
            plans[edge.inside].gather_sends[relay].push_back(own);
            plans[relay].gather_receives[edge.inside].push_back(at_relay);
        }
        if (edge.outside != relay) {
            plans[relay].redistribute_sends[edge.outside].push_back(at_relay);
            plans[edge.outside].redistribute_receives[relay].push_back(final_place);
        }
    }
}

std::map<Rank, std::vector<std::int32_t>> RegionEdges::encode_operations() const
{
    std::map<Rank, MemberPlan> plans;
    plan_local(plans);
    plan_outgoing(plans);
    plan_incoming(plans);
    std::map<Rank, std::vector<std::int32_t>> words;
    for (Rank member : members_) {
        words[member] = plans[member].encode();
    }
    return words;
}

} // namespace nbrhood
