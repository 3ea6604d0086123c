// What the edges of a region cost, direct and relayed, before any relay is chosen.
#include <algorithm>
#include <set>

#include "algorithms/region_relays.h"

namespace nbrhood {
namespace {

void keep_busiest(Load &busiest, const Load &load)
{
    busiest.messages_local = std::max(busiest.messages_local, load.messages_local);
    busiest.messages_nonlocal = std::max(busiest.messages_nonlocal, load.messages_nonlocal);
    busiest.blocks_local = std::max(busiest.blocks_local, load.blocks_local);
    busiest.blocks_nonlocal = std::max(busiest.blocks_nonlocal, load.blocks_nonlocal);
}

// Ends of messages within a region.
void add_local(Load &load, std::int64_t messages, std::int64_t blocks)
{
    load.messages_local += messages;
    load.blocks_local += blocks;
}

// Ends of messages to or from other regions.
void add_nonlocal(Load &load, std::int64_t messages, std::int64_t blocks)
{
    load.messages_nonlocal += messages;
    load.blocks_nonlocal += blocks;
}

} // namespace

void RegionRelays::count_direct(Traffic &total) const
{
    std::map<Rank, Load> ends; // by member: what it sends and receives
    for (const Crossing &edge : edges_->local()) {
        add_local(ends[edge.inside], 1, 1);
        add_local(ends[edge.outside], 1, 1);
        add_local(total.direct, 1, 1);
    }
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &entry : edges_->crossings(direction)) {
            for (const Crossing &crossing : entry.second) {
                add_nonlocal(ends[crossing.inside], 1, 1);
                if (direction == outgoing) {
                    add_nonlocal(total.direct, 1, 1);
                }
            }
        }
    }
    for (const auto &entry : ends) {
        keep_busiest(total.busiest_direct, entry.second);
    }
    total.leaving_direct = total.direct.blocks_nonlocal;
}

Traffic RegionRelays::traffic(BlockKind kind) const
{
    Traffic total;
    count_direct(total);
    if (scheme_ == kTwoStep) {
        total.phases = 2;
        count_two_steps(kind, total);
    } else {
        total.phases = 3;
        count_three_steps(kind, total);
    }
    total.leaving_relayed = total.relayed.blocks_nonlocal;
    return total;
}

// Counted from the very relays that the ranks get if the graph has one component.
void RegionRelays::count_two_steps(BlockKind kind, Traffic &total) const
{
    Forest one;
    for (Rank member : edges_->members()) {
        one.unite(edges_->members().front(), member);
    }
    Jobs jobs = list_jobs(one);
    choose_relays(jobs, find_candidates(one));

    std::map<Rank, Load> ends;
    std::map<std::pair<Rank, Rank>, std::int64_t> redistributed; // blocks, by relay and member
    for (const auto &[job, relay] : jobs) {
        const auto blocks = static_cast<std::int64_t>(blocks_of(job, relay, kind).size());
        add_nonlocal(ends[relay.inside], 1, blocks);
        if (job.direction == outgoing) {
            add_nonlocal(total.relayed, 1, blocks);
            continue;
        }
        for (const Crossing &crossing : relay.crossings) {
            if (crossing.inside != relay.inside) {
                ++redistributed[{relay.inside, crossing.inside}];
            }
        }
    }
    const auto add_between = [&](Rank from, Rank to, std::int64_t blocks) {
        add_local(ends[from], 1, blocks);
        add_local(ends[to], 1, blocks);
        add_local(total.relayed, 1, blocks);
    };
    for (const auto &[pair, blocks] : redistributed) {
        add_between(pair.first, pair.second, blocks);
    }
    for (const Crossing &edge : edges_->local()) {
        add_between(edge.inside, edge.outside, 1);
    }
    for (const auto &entry : ends) {
        keep_busiest(total.busiest_relayed, entry.second);
    }
}

void RegionRelays::count_three_steps(BlockKind kind, Traffic &total) const
{
    const bool edges_have_blocks = kind == BlockKind::one_per_edge;
    const auto carriers =
        static_cast<std::int64_t>(std::min(relay_count(), edges_->members().size()));
    const bool local_edges_ride =
        relay_count() == 1 && local_rides_pay(edges_->local().size(), edges_->members().size());
    // With one relay, what it sends or receives itself needs no message in the region.
    const Rank relay = carriers == 1 ? by_suitability().front() : kNoRank;

    std::map<Rank, std::set<Region>> reached[2]; // regions that a member's blocks go to, come from
    std::map<Rank, std::int64_t> blocks[2];      // of a member that relays bring or take
    std::map<Rank, Load> ends;
    Load carried; // ends of all relays together
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &[other, crossings] : edges_->crossings(direction)) {
            std::set<Rank> sources;
            for (const Crossing &crossing : crossings) {
                reached[direction][crossing.inside].insert(other);
                ++blocks[direction][crossing.inside];
                sources.insert(direction == outgoing ? crossing.inside : crossing.outside);
            }
            const std::size_t distinct = edges_have_blocks ? crossings.size() : sources.size();
            add_nonlocal(carried, 1, static_cast<std::int64_t>(distinct));
            if (direction == outgoing) {
                add_nonlocal(total.relayed, 1, static_cast<std::int64_t>(distinct));
            }
        }
    }
    for (const Crossing &edge : edges_->local()) {
        if (local_edges_ride) { // with the one message to or from the relay, whatever its region
            reached[outgoing][edge.inside].insert(edges_->region());
            reached[incoming][edge.outside].insert(edges_->region());
            ++blocks[outgoing][edge.inside];
            ++blocks[incoming][edge.outside];
        } else {
            add_local(ends[edge.inside], 1, 1);
            add_local(ends[edge.outside], 1, 1);
            add_local(total.relayed, 1, 1);
        }
    }
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &[member, regions] : reached[direction]) {
            if (member == relay) {
                continue;
            }
            // A member may be a relay itself, where there are several.
            const auto messages = std::min(carriers, static_cast<std::int64_t>(regions.size()));
            const bool once = !edges_have_blocks && direction == outgoing; // a block for each relay
            const std::int64_t moved = once ? messages : blocks[direction].at(member);
            add_local(ends[member], messages, moved);
            add_local(carried, messages, moved);
            add_local(total.relayed, messages, moved);
        }
    }
    for (const auto &entry : ends) {
        keep_busiest(total.busiest_relayed, entry.second);
    }
    const auto share = [&](std::int64_t sum) { return (sum + carriers - 1) / carriers; };
    keep_busiest(total.busiest_relayed,
                 Load{share(carried.messages_local), share(carried.messages_nonlocal),
                      share(carried.blocks_local), share(carried.blocks_nonlocal)});
}

} // namespace nbrhood
