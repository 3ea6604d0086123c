#include "algorithms/pattern_traffic.h"

#include "pattern/staging.h"

namespace nbrhood {
namespace {

// What one message adds: to what this rank has at its ends, and to what all send.
struct Adding {
    const Surroundings &known;
    Rank self;
    Load &sent;
    Load &own;

    void add(Rank peer, bool sends, std::int64_t blocks) const
    {
        const Link link = known.link(self, peer);
        const bool local = known.local(self, peer);
        own.add(link, local, 1, blocks);
        if (sends) {
            sent.add(link, local, 1, blocks);
        }
    }
};

void count_direct(const Neighbourhood &neighbourhood, const Surroundings &known, Traffic &traffic)
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

// Of the blocks of a message those that its end here copies: see Load::copies.
std::int64_t copies_of(const Operation &operation, const std::vector<char> &at_home)
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
                lies_together = lies_together && at_home.at(slice.block + i) != 0;
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
                   const Surroundings &surroundings, std::int64_t phases)
{
    Traffic traffic;
    count_direct(neighbourhood, surroundings, traffic);
    const Adding adding{surroundings, pattern.rank, traffic.relayed, traffic.busiest_relayed};
    const std::vector<char> at_home = staging_at_home(pattern);
    for (const Operation &operation : pattern.operations) {
        if (operation.carry == Carry::direct_if_large) {
            continue;
        }
        if (operation.kind == OperationKind::copy) {
            const bool self_edge = operation.slices[0].space == Space::send
                                   && operation.slices[1].space == Space::receive;
            traffic.busiest_relayed.copies += self_edge ? 0 : 1;
            continue;
        }
        adding.add(operation.peer, operation.kind == OperationKind::send, blocks_of(operation));
        traffic.busiest_relayed.copies += copies_of(operation, at_home);
    }
    traffic.leaving_relayed = traffic.relayed.blocks_over(Link::network);
    traffic.phases = phases;
    return traffic;
}

} // namespace nbrhood
