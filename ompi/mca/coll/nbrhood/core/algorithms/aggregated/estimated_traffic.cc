// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/estimated_traffic.h"

#include <algorithm>

#include "algorithms/aggregated/relay_scheme.h"

namespace nbrhood {
namespace {

// The numbers of all regions together, and of one region.
struct Totals {
    explicit Totals(const Facts &facts)
        : regions(std::max(1, facts.regions)),
          ranks(std::max<std::int64_t>(1, facts.ranks_with_edges)),
          local(facts.edges - facts.edges_nonlocal), nonlocal(facts.edges_nonlocal),
          ends(*facts.ends)
    {}
    std::int64_t regions;
    std::int64_t ranks;
    std::int64_t local;
    std::int64_t nonlocal;
    EndCounts ends;

    // The mean share of a number, at least 1: the busiest has no less.
    static std::int64_t share(std::int64_t number, std::int64_t among)
    {
        return number == 0 ? 0 : std::max<std::int64_t>(1, number / among);
    }
    // Ends of edges that are not at relays.
    std::int64_t others(std::int64_t ends_of_all, std::int64_t relays) const
    {
        return std::max<std::int64_t>(0, ends_of_all - relays * regions);
    }
    // Of these blocks, those whose destination is not a relay, if destinations are spread evenly
    // over the ranks.
    std::int64_t for_others(std::int64_t blocks, std::int64_t relays) const
    {
        return blocks - blocks * std::min(ranks, relays * regions) / ranks;
    }
};

// One or more relays of each region gather the blocks for other regions, send one message to each,
// and distribute the received blocks.
Traffic by_three_steps(const Totals &all, const Facts &facts, Link farthest)
{
    const std::int64_t messages = Totals::share(all.ends.region_pairs, all.regions);
    const std::int64_t relays =
        std::min(static_cast<std::int64_t>(
                     relays_for(static_cast<std::size_t>(messages), facts.ranks_per_core)),
                 Totals::share(all.ranks, all.regions));
    const bool combines =
        relays == 1
        && pays_to_combine_local(static_cast<std::size_t>(all.local),
                                 static_cast<std::size_t>(all.ranks), facts.ranks_per_core);
    const std::int64_t gathered =
        all.others(combines ? all.ends.senders : all.ends.nonlocal_senders, relays);
    const std::int64_t scattered =
        all.others(combines ? all.ends.receivers : all.ends.nonlocal_receivers, relays);
    const std::int64_t delivered =
        all.for_others(combines ? all.local + all.nonlocal : all.nonlocal, relays);
    Traffic traffic;
    traffic.relayed.add(facts.within_regions, true, gathered + scattered, gathered + delivered);
    traffic.relayed.add(farthest, false, all.ends.region_pairs,
                        std::max(all.ends.region_pairs, all.ends.nonlocal_senders));
    const std::int64_t of_relay = (gathered + scattered) / (all.regions * relays);
    traffic.busiest_relayed.add(facts.within_regions, true, of_relay, of_relay);
    const std::int64_t sent = 2 * Totals::share(messages, relays);
    traffic.busiest_relayed.add(farthest, false, sent, sent);
    if (!combines) {
        traffic.relayed.add(facts.within_regions, true, all.local, all.local);
        const std::int64_t own = 2 * all.local / all.ranks;
        traffic.busiest_relayed.add(facts.within_regions, true, own, own);
    }
    return traffic;
}

// Each rank itself sends one message to each region, to a destination of its blocks there.
Traffic by_two_steps(const Totals &all, const Facts &facts, Link farthest)
{
    const std::int64_t messages = all.ends.destination_regions;
    Traffic traffic;
    traffic.relayed.add(facts.within_regions, true, all.local, all.local);
    traffic.relayed.add(farthest, false, messages, all.nonlocal);
    const std::int64_t own = 2 * all.local / all.ranks;
    traffic.busiest_relayed.add(facts.within_regions, true, own, own);
    const std::int64_t sent = 2 * Totals::share(messages, all.ranks);
    traffic.busiest_relayed.add(farthest, false, sent, sent);
    return traffic;
}

} // namespace

Traffic estimated_traffic(const Facts &facts, Scheme scheme)
{
    const Totals all(facts);
    const Link farthest = facts.edges_nonlocal > facts.edges_network ? Link::node : Link::network;
    return scheme == kTwoStep ? by_two_steps(all, facts, farthest)
                              : by_three_steps(all, facts, farthest);
}

} // namespace nbrhood
