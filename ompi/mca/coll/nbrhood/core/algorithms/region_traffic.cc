// What the edges of a region cost, direct and relayed, before any relay is chosen.
#include <algorithm>

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

// Counted from the very operations that the ranks get if the graph has one component.
Traffic RegionRelays::traffic(BlockKind kind) const
{
    Traffic total;
    count_direct(total);
    total.phases = scheme_ == kTwoStep ? 2 : 3;

    Forest one;
    for (Rank member : edges_->members()) {
        one.unite(edges_->members().front(), member);
    }
    RegionRelays relays(*this);
    relays.assign(one);
    std::map<Rank, Load> ends = relays.count_operations(kind, total.relayed);
    for (const Crossing &edge : edges_->local()) {
        if (relays.local_relay_.count(edge.inside) == 0) {
            add_local(ends[edge.inside], 1, 1);
            add_local(ends[edge.outside], 1, 1);
            add_local(total.relayed, 1, 1);
        }
    }
    for (const auto &entry : ends) {
        keep_busiest(total.busiest_relayed, entry.second);
    }
    total.leaving_relayed = total.relayed.blocks_nonlocal;
    return total;
}

} // namespace nbrhood
