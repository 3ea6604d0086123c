// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/model.h"

#include <algorithm>
#include <array>

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

// Messages and blocks of a rank by link, or the mean over several ranks.
struct Share {
    std::array<double, kLinks> messages{};
    std::array<double, kLinks> blocks{};

    // Adds a load to the share of a rank: its messages with one weight, its blocks with another.
    void add(const Load &load, double message_weight, double block_weight)
    {
        for (std::size_t link = 0; link < kLinks; ++link) {
            messages[link] += message_weight * static_cast<double>(load.messages[link]);
            blocks[link] += block_weight * static_cast<double>(load.blocks[link]);
        }
    }
};

// The per-block overhead as a fraction of the cost of a message within a node: with warm caches,
// and as measured with ranks that share a core and evict each other's data.
constexpr double kBlockOverheadOwnCore = 0.05;
constexpr double kBlockOverheadSharedCore = 0.25;

// How blocks travel: each as a message without relays, packed into a combined message, or unpacked
// after one.
enum class Carrying { direct, packed, unpacked };

// How a call spends its time.
struct CallProfile {
    const Load &all;
    const Load &busiest;
    std::int64_t leaving; // blocks that leave the node from the busiest region
    std::int64_t phases;
    Carrying carrying;
};

// The share of a fictitious rank that has the greatest load of all ranks on each link, but in total
// no more than the busiest rank: the excess is taken off the nearest links.
Share busiest_share(const Load &busiest)
{
    const auto keep = [](std::int64_t &left, std::int64_t most) {
        const std::int64_t kept = std::min(left, most);
        left -= kept;
        return kept;
    };
    Load load;
    std::int64_t messages = busiest.all_messages;
    std::int64_t blocks = busiest.all_blocks;
    for (std::size_t link = kLinks; link-- > 0;) {
        load.messages[link] = keep(messages, busiest.messages[link]);
        load.blocks[link] = keep(blocks, busiest.blocks[link]);
    }
    Share share;
    share.add(load, 0.5, 0.5);
    return share;
}

// The path through the busiest rank on a core of its own, phase after phase. The node's network
// carries bytes while the rank sends. All messages share the network at once, so they all arrive at
// the end, and the rank's receives, half of its work, follow.
double own_core_seconds(const CallProfile &profile, const Costs &costs, double block_bytes,
                        double injection)
{
    Share share = busiest_share(profile.busiest);
    if (profile.carrying == Carrying::unpacked) { // without combined messages if sizes are known
        share.messages = share.blocks;
    }
    double seconds = static_cast<double>(profile.phases) * costs.phase_latency;
    for (std::size_t link = 0; link < kLinks; ++link) {
        const double work = link_seconds(costs.links[link], costs, share.messages[link],
                                         share.blocks[link] * block_bytes, 0);
        const bool network = link == static_cast<std::size_t>(Link::network);
        seconds += network && work > 0 ? std::max(work, injection + work / 2) : work;
    }
    if (profile.carrying == Carrying::packed) {
        seconds += static_cast<double>(profile.busiest.copies)
                   * (per_block_overhead(costs, false) / 2 + block_bytes * costs.copy_byte);
    }
    return seconds;
}

// The weight of the busiest rank's messages, against the mean of all ranks, if ranks share cores;
// measured on emulated clusters with 4 and 8 ranks per core (docs/results/scale.md).
constexpr double kBusiest = 0.35;

// The work of all ranks that share a core: while one waits, another works. A wait takes at least as
// long as a message, because another rank works meanwhile; on emulated clusters 1.5 times as long.
// Blocks count as packed and unpacked at each step of their route, because the model was fitted
// that way.
double shared_core_seconds(const CallProfile &profile, const Facts &facts, const Costs &costs,
                           double block_bytes, double injection)
{
    const double ranks = static_cast<double>(std::max<std::int64_t>(1, facts.ranks_with_edges));
    Share share;
    share.add(profile.all, (1 - kBusiest) / ranks, 1 / ranks);
    share.add(profile.busiest, kBusiest * 0.5, 0);
    double seconds = std::max(costs.phase_latency, costs[Link::network].message);
    double blocks = 0;
    for (std::size_t link = 0; link < kLinks; ++link) {
        const bool network = link == static_cast<std::size_t>(Link::network);
        seconds += link_seconds(
            costs.links[link], costs,
            share.messages[link]
                + (profile.carrying == Carrying::unpacked ? share.blocks[link] : 0),
            share.blocks[link] * block_bytes, network ? injection / facts.ranks_per_core : 0);
        blocks += share.blocks[link];
    }
    if (profile.carrying == Carrying::packed) {
        seconds += blocks * (per_block_overhead(costs, true) + 2 * block_bytes * costs.copy_byte);
    }
    return facts.ranks_per_core * seconds;
}

double seconds(const CallProfile &profile, const Facts &facts, const Costs &costs,
               double block_bytes)
{
    // All regions of a node inject through its link.
    const double injection = static_cast<double>(facts.regions_of_node)
                             * static_cast<double>(profile.leaving) * block_bytes
                             * costs.injection_byte;
    const double own = own_core_seconds(profile, costs, block_bytes, injection);
    return facts.ranks_per_core <= 1
               ? own
               : std::max(own, shared_core_seconds(profile, facts, costs, block_bytes, injection));
}

} // namespace

Facts find_facts(const std::vector<Neighbourhood> &graph, const Machine &machine,
                 double ranks_per_core)
{
    Facts facts;
    for (const Neighbourhood &own : graph) {
        std::int64_t edges = 0;
        std::int64_t nonlocal = 0;
        std::int64_t network = 0;
        for (const EdgeEnd &end : own.out) {
            const bool other = end.peer != kNoRank && end.peer != own.rank;
            edges += other ? 1 : 0;
            nonlocal += other && !machine.local(own.rank, end.peer) ? 1 : 0;
            network += other && machine.link(own.rank, end.peer) == Link::network ? 1 : 0;
        }
        facts.ranks_with_edges += own.has_edges() ? 1 : 0;
        facts.edges += edges;
        facts.edges_nonlocal += nonlocal;
        facts.edges_network += network;
        facts.busiest_edges = std::max(facts.busiest_edges, edges);
        facts.busiest_nonlocal = std::max(facts.busiest_nonlocal, nonlocal);
        facts.busiest_network = std::max(facts.busiest_network, network);
    }
    facts.regions = machine.regions();
    facts.regions_of_node = machine.regions_of_node();
    facts.within_regions = machine.link_within_regions();
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
                       double block_bytes, double packing_threshold)
{
    return seconds({traffic.relayed, traffic.busiest_relayed, traffic.leaving_relayed,
                    traffic.phases,
                    block_bytes <= packing_threshold ? Carrying::packed : Carrying::unpacked},
                   facts, costs, block_bytes);
}

double per_block_overhead(const Costs &costs, bool shares_cores)
{
    return (shares_cores ? kBlockOverheadSharedCore : kBlockOverheadOwnCore)
           * costs[Link::node].message;
}

bool may_pay(const Traffic &least, const Facts &facts, const Costs &costs, double block_bytes,
             double packing_threshold, double worth)
{
    // Direct, over the farthest links that the facts allow.
    Traffic traffic = least;
    const auto add = [&](Load &load, std::int64_t edges, std::int64_t nonlocal,
                         std::int64_t network) {
        load.add(facts.within_regions, true, edges - nonlocal, edges - nonlocal);
        load.add(Link::node, false, nonlocal - network, nonlocal - network);
        load.add(Link::network, false, network, network);
    };
    add(traffic.direct, facts.edges, facts.edges_nonlocal, facts.edges_network);
    // In-edges are not known yet; the number of out-edges is a good guess.
    add(traffic.busiest_direct, 2 * facts.busiest_edges, 2 * facts.busiest_nonlocal,
        2 * facts.busiest_network);
    return pays(traffic, facts, costs, block_bytes, packing_threshold, worth);
}

bool pays(const Traffic &traffic, const Facts &facts, const Costs &costs, double block_bytes,
          double packing_threshold, double worth)
{
    return relayed_seconds(traffic, facts, costs, block_bytes, packing_threshold)
           < worth * direct_seconds(traffic, facts, costs, block_bytes);
}

std::size_t combining_threshold(const Traffic &traffic, const Facts &facts, const Costs &costs,
                                double block_bytes, std::size_t packing_threshold, double worth)
{
    // Whether relayed blocks take less time, if their time is multiplied by `factor`.
    const auto gains = [&](std::size_t bytes, double factor) {
        const auto block = static_cast<double>(bytes);
        return factor
                   * relayed_seconds(traffic, facts, costs, block,
                                     static_cast<double>(packing_threshold))
               < direct_seconds(traffic, facts, costs, block);
    };
    std::size_t threshold = kLeastThreshold;
    if (pays(traffic, facts, costs, block_bytes, static_cast<double>(packing_threshold), worth)) {
        while (threshold < kGreatestThreshold && static_cast<double>(threshold) < block_bytes) {
            threshold *= 2;
        }
    }
    for (std::size_t bytes = 2 * threshold; bytes <= kGreatestThreshold && gains(bytes, kWorthIt);
         bytes *= 2) {
        if (gains(bytes, 1)) {
            threshold = bytes;
        }
    }
    return threshold;
}

} // namespace nbrhood
