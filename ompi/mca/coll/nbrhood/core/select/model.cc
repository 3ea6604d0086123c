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

// a * x + b * y, field by field.
Share weighted(double a, const Load &x, double b, const Load &y)
{
    const auto of = [=](std::int64_t v, std::int64_t w) {
        return a * static_cast<double>(v) + b * static_cast<double>(w);
    };
    return {of(x.messages_local, y.messages_local), of(x.messages_nonlocal, y.messages_nonlocal),
            of(x.blocks_local, y.blocks_local), of(x.blocks_nonlocal, y.blocks_nonlocal)};
}

// To take a block out of one message and put it into another means to look up where it lies and
// goes. Parts of what a message within a node costs: with warm caches, and measured where ranks
// that share a core take them from each other.
constexpr double kHandlingAlone = 0.05;
constexpr double kHandlingShared = 0.25;

// handling: that part, or 0 where blocks are not packed.
double share_seconds(const Share &share, const Costs &costs, double block_bytes, double injection,
                     double handling)
{
    const double local = share.blocks_local * block_bytes;
    const double nonlocal = share.blocks_nonlocal * block_bytes;
    const double packing =
        handling > 0 ? (share.blocks_local + share.blocks_nonlocal) * handling * costs.local.message
                           + 2 * (local + nonlocal) * costs.copy_byte
                     : 0;
    return link_seconds(costs.local, costs, share.messages_local, local, 0)
           + link_seconds(costs.nonlocal, costs, share.messages_nonlocal, nonlocal, injection)
           + packing;
}

// A load whose blocks are messages of their own.
Load unpacked(Load load)
{
    load.messages_local = std::max(load.messages_local, load.blocks_local);
    load.messages_nonlocal = std::max(load.messages_nonlocal, load.blocks_nonlocal);
    return load;
}

// How one kind of call spends its time.
struct Way {
    const Load &all;
    const Load &busiest;
    std::int64_t leaving; // blocks, of the busiest region
    int phases;
    bool packed;
};

// How much the busiest rank delays the others where all share cores, against the mean of all;
// measured on emulated clusters with 4 and 8 ranks a core (docs/results.md).
constexpr double kBusiest = 0.35;

// The longer of two: the way through the busiest rank on a core of its own, phase after phase; and
// the work of all ranks that share a core, in which the waiting of one is the work of another.
double seconds(const Way &way, const Facts &facts, const Costs &costs, double block_bytes)
{
    const double crowd = std::max(1.0, facts.ranks_per_core);
    const double ranks = static_cast<double>(std::max<std::int64_t>(1, facts.ranks_with_edges));
    const double injection = static_cast<double>(way.leaving) * block_bytes * costs.injection_byte;
    const double alone = way.phases * costs.phase
                         + share_seconds(weighted(0.5, way.busiest, 0, {}), costs, block_bytes,
                                         injection, way.packed ? kHandlingAlone : 0);
    const double shared =
        crowd
        * (costs.phase
           + share_seconds(weighted((1 - kBusiest) / ranks, way.all, kBusiest * 0.5, way.busiest),
                           costs, block_bytes, injection / crowd,
                           way.packed ? kHandlingShared : 0));
    return std::max(alone, shared);
}

// A gain that the model's errors could eat up is none.
constexpr double kWorthIt = 0.9;

} // namespace

double direct_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                      double block_bytes)
{
    return seconds({traffic.direct, traffic.busiest_direct, traffic.leaving_direct, 1, false},
                   facts, costs, block_bytes);
}

double relayed_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                       double block_bytes, double pack_limit)
{
    if (block_bytes <= pack_limit) {
        return seconds({traffic.relayed, traffic.busiest_relayed, traffic.leaving_relayed, 3, true},
                       facts, costs, block_bytes);
    }
    const Load all = unpacked(traffic.relayed);
    const Load busiest = unpacked(traffic.busiest_relayed);
    return seconds({all, busiest, traffic.leaving_relayed, 3, false}, facts, costs, block_bytes);
}

bool may_pay(const Facts &facts, const Costs &costs)
{
    if (facts.regions < 2 || facts.edges_nonlocal == 0) {
        return false;
    }
    Traffic traffic; // relayed in one message: besides it only the phases remain
    traffic.relayed = traffic.busiest_relayed = {0, 1, 0, 1};
    traffic.direct = {facts.edges - facts.edges_nonlocal, facts.edges_nonlocal,
                      facts.edges - facts.edges_nonlocal, facts.edges_nonlocal};
    // In-edges are not known yet; as many as out-edges is a good guess.
    const std::int64_t local = facts.busiest_edges - facts.busiest_nonlocal;
    traffic.busiest_direct = {2 * local, 2 * facts.busiest_nonlocal, 2 * local,
                              2 * facts.busiest_nonlocal};
    return pays(traffic, facts, costs);
}

bool pays(const Traffic &traffic, const Facts &facts, const Costs &costs)
{
    return relayed_seconds(traffic, facts, costs, kSmallBlock, kSmallBlock)
           < kWorthIt * direct_seconds(traffic, facts, costs, kSmallBlock);
}

std::size_t ride_threshold(const Traffic &traffic, const Facts &facts, const Costs &costs,
                           std::size_t pack_limit)
{
    const auto gains = [&](std::size_t bytes) {
        const auto block = static_cast<double>(bytes);
        return relayed_seconds(traffic, facts, costs, block, static_cast<double>(pack_limit))
               < direct_seconds(traffic, facts, costs, block);
    };
    std::size_t threshold = kLeastThreshold;
    while (threshold < kGreatestThreshold && gains(2 * threshold)) {
        threshold *= 2;
    }
    return threshold;
}

} // namespace nbrhood
