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

struct Shares {
    double all;     // of a load, for a rank
    double copying; // copies of each block
    double injection;
};

double load_seconds(const Load &load, const Costs &costs, double block_bytes, const Shares &shares)
{
    const auto of = [&](std::int64_t value) { return static_cast<double>(value) * shares.all; };
    const double local_bytes = of(load.blocks_local) * block_bytes;
    const double nonlocal_bytes = of(load.blocks_nonlocal) * block_bytes;
    return link_seconds(costs.local, costs, of(load.messages_local), local_bytes, 0)
           + link_seconds(costs.nonlocal, costs, of(load.messages_nonlocal), nonlocal_bytes,
                          shares.injection)
           + shares.copying * costs.copy_byte * (local_bytes + nonlocal_bytes);
}

// A load whose blocks are messages of their own.
Load unpacked(Load load)
{
    load.messages_local = std::max(load.messages_local, load.blocks_local);
    load.messages_nonlocal = std::max(load.messages_nonlocal, load.blocks_nonlocal);
    return load;
}

// The busiest rank waits for nobody's core; where ranks share cores, all of them must get theirs.
double seconds(const Load &all, const Load &busiest, double injection, double copying, int phases,
               const Facts &facts, const Costs &costs, double block_bytes)
{
    const double crowd = std::max(1.0, facts.ranks_per_core);
    const double ranks = static_cast<double>(std::max<std::int64_t>(1, facts.ranks_with_edges));
    const double alone = load_seconds(busiest, costs, block_bytes, {0.5, copying, injection});
    const double shared =
        crowd * load_seconds(all, costs, block_bytes, {1.0 / ranks, copying, injection / crowd});
    return phases * crowd * costs.phase + std::max(alone, shared);
}

} // namespace

double direct_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                      double block_bytes)
{
    const double injection =
        static_cast<double>(traffic.leaving_direct) * block_bytes * costs.injection_byte;
    return seconds(traffic.direct, traffic.busiest_direct, injection, 0, 1, facts, costs,
                   block_bytes);
}

double relayed_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                       double block_bytes, double pack_limit)
{
    const bool loose = block_bytes > pack_limit;
    const double injection =
        static_cast<double>(traffic.leaving_relayed) * block_bytes * costs.injection_byte;
    return seconds(loose ? unpacked(traffic.relayed) : traffic.relayed,
                   loose ? unpacked(traffic.busiest_relayed) : traffic.busiest_relayed, injection,
                   loose ? 0 : 2, 3, facts, costs, block_bytes);
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
           < direct_seconds(traffic, facts, costs, kSmallBlock);
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
