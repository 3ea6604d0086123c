#include "select/model.h"

#include <algorithm>

namespace nbrhood {
namespace {

// The time of some messages and the blocks in them; bytes between nodes cost at least `injection`.
double link_seconds(const LinkCosts &link, const Costs &costs, double messages, double bytes,
                    double injection)
{
    if (messages <= 0) {
        return 0;
    }
    const bool is_long = bytes / messages > costs.protocol_switch;
    return messages * (is_long ? link.long_message : link.message)
           + std::max(bytes * (is_long ? link.long_byte : link.byte), injection);
}

// Messages and blocks of a rank, or of the mean of several.
struct Share {
    double messages_local, messages_nonlocal, blocks_local, blocks_nonlocal;
};

// What a load is to a rank: its messages weighted like that, its blocks like this.
Share share_of(const Load &load, double messages, double blocks)
{
    return {messages * static_cast<double>(load.messages_local),
            messages * static_cast<double>(load.messages_nonlocal),
            blocks * static_cast<double>(load.blocks_local),
            blocks * static_cast<double>(load.blocks_nonlocal)};
}

Share operator+(const Share &a, const Share &b)
{
    return {a.messages_local + b.messages_local, a.messages_nonlocal + b.messages_nonlocal,
            a.blocks_local + b.blocks_local, a.blocks_nonlocal + b.blocks_nonlocal};
}

// What it costs to handle a block, as parts of what a message within a node costs: with warm
// caches, and measured where ranks that share a core take them from each other.
constexpr double kHandlingAlone = 0.05;
constexpr double kHandlingShared = 0.25;

// handling: seconds for a block; kNotPacked where blocks are not packed.
constexpr double kNotPacked = -1;
double share_seconds(const Share &share, const Costs &costs, double block_bytes, double injection,
                     double handling)
{
    const double local = share.blocks_local * block_bytes;
    const double nonlocal = share.blocks_nonlocal * block_bytes;
    const double packing = handling != kNotPacked
                               ? (share.blocks_local + share.blocks_nonlocal) * handling
                                     + 2 * (local + nonlocal) * costs.copy_byte
                               : 0;
    return link_seconds(costs.local, costs, share.messages_local, local, 0)
           + link_seconds(costs.nonlocal, costs, share.messages_nonlocal, nonlocal, injection)
           + packing;
}

// What happens to the blocks on their way: each is a message, or is packed into one, or follows one
// as a message of its own.
enum class Carrying { direct, packed, loose };

// How a call spends its time.
struct Way {
    const Load &all;
    const Load &busiest;
    std::int64_t leaving; // blocks, of the busiest region
    std::int64_t phases;
    Carrying carrying;
};

Share with_loose_blocks(Share share, Carrying carrying)
{
    if (carrying == Carrying::loose) {
        share.messages_local += share.blocks_local;
        share.messages_nonlocal += share.blocks_nonlocal;
    }
    return share;
}

// How much the messages of the busiest rank delay the others where all share cores, against the
// mean of all; measured on emulated clusters with 4 and 8 ranks a core (docs/results.md).
constexpr double kBusiest = 0.35;

// The longer of two: the way through the busiest rank on a core of its own, phase after phase; and
// the work of all ranks that share a core, in which the waiting of one is the work of another.
double seconds(const Way &way, const Facts &facts, const Costs &costs, double block_bytes)
{
    const double crowd = std::max(1.0, facts.ranks_per_core);
    const double ranks = static_cast<double>(std::max<std::int64_t>(1, facts.ranks_with_edges));
    const double injection = static_cast<double>(way.leaving) * block_bytes * costs.injection_byte;
    const bool packed = way.carrying == Carrying::packed;
    const Share alone = with_loose_blocks(share_of(way.busiest, 0.5, 0.5), way.carrying);
    const Share shared = with_loose_blocks(share_of(way.all, (1 - kBusiest) / ranks, 1 / ranks)
                                               + share_of(way.busiest, kBusiest * 0.5, 0),
                                           way.carrying);
    return std::max(static_cast<double>(way.phases) * costs.phase
                        + share_seconds(alone, costs, block_bytes, injection,
                                        packed ? handling_seconds(costs, false) : kNotPacked),
                    crowd
                        * (costs.phase
                           + share_seconds(shared, costs, block_bytes, injection / crowd,
                                           packed ? handling_seconds(costs, true) : kNotPacked)));
}

// A gain that the model's errors could eat up is none.
constexpr double kWorthIt = 0.9;

} // namespace

Facts find_facts(const std::vector<Neighbourhood> &graph, const Machine &machine,
                 double ranks_per_core)
{
    Facts facts;
    for (const Neighbourhood &own : graph) {
        std::int64_t edges = 0;
        std::int64_t nonlocal = 0;
        for (const EdgeEnd &end : own.out) {
            const bool other = end.peer != kNoRank && end.peer != own.rank;
            edges += other ? 1 : 0;
            nonlocal += other && !machine.local(own.rank, end.peer) ? 1 : 0;
        }
        facts.ranks_with_edges += own.has_edges() ? 1 : 0;
        facts.edges += edges;
        facts.edges_nonlocal += nonlocal;
        facts.busiest_edges = std::max(facts.busiest_edges, edges);
        facts.busiest_nonlocal = std::max(facts.busiest_nonlocal, nonlocal);
    }
    facts.regions = machine.regions();
    facts.ranks_per_core = ranks_per_core;
    return facts;
}

double direct_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                      double block_bytes)
{
    return seconds(
        {traffic.direct, traffic.busiest_direct, traffic.leaving_direct, 1, Carrying::direct},
        facts, costs, block_bytes);
}

double relayed_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                       double block_bytes, double pack_limit)
{
    return seconds({traffic.relayed, traffic.busiest_relayed, traffic.leaving_relayed,
                    traffic.phases, block_bytes <= pack_limit ? Carrying::packed : Carrying::loose},
                   facts, costs, block_bytes);
}

double handling_seconds(const Costs &costs, bool shares_cores)
{
    return (shares_cores ? kHandlingShared : kHandlingAlone) * costs.local.message;
}

bool may_pay(const Facts &facts, const Costs &costs, double block_bytes, double pack_limit)
{
    if (facts.regions < 2 || facts.edges_nonlocal == 0) {
        return false;
    }
    Traffic traffic;    // relayed in one message: besides it only the phases remain
    traffic.phases = 2; // a relay waits for a message and sends one
    traffic.relayed = traffic.busiest_relayed = {0, 1, 0, 1};
    traffic.direct = {facts.edges - facts.edges_nonlocal, facts.edges_nonlocal,
                      facts.edges - facts.edges_nonlocal, facts.edges_nonlocal};
    // In-edges are not known yet; as many as out-edges is a good guess.
    const std::int64_t local = facts.busiest_edges - facts.busiest_nonlocal;
    traffic.busiest_direct = {2 * local, 2 * facts.busiest_nonlocal, 2 * local,
                              2 * facts.busiest_nonlocal};
    return pays(traffic, facts, costs, block_bytes, pack_limit);
}

bool pays(const Traffic &traffic, const Facts &facts, const Costs &costs, double block_bytes,
          double pack_limit)
{
    return relayed_seconds(traffic, facts, costs, block_bytes, pack_limit)
           < kWorthIt * direct_seconds(traffic, facts, costs, block_bytes);
}

std::size_t ride_threshold(const Traffic &traffic, const Facts &facts, const Costs &costs,
                           double block_bytes, std::size_t pack_limit)
{
    const auto gains = [&](std::size_t bytes) {
        const auto block = static_cast<double>(bytes);
        return relayed_seconds(traffic, facts, costs, block, static_cast<double>(pack_limit))
               < direct_seconds(traffic, facts, costs, block);
    };
    std::size_t threshold = kLeastThreshold;
    if (pays(traffic, facts, costs, block_bytes, static_cast<double>(pack_limit))) {
        while (threshold < kGreatestThreshold && static_cast<double>(threshold) < block_bytes) {
            threshold *= 2;
        }
    }
    while (threshold < kGreatestThreshold && gains(2 * threshold)) {
        threshold *= 2;
    }
    return threshold;
}

} // namespace nbrhood
