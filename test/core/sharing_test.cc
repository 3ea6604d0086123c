// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Values that go to several neighbours: every value arrives, and none enters a region twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/allocations.h"
#include "value_exchange.h"

namespace nbrhood::test {
namespace {

constexpr std::size_t kNoLimit = 1 << 20;

// Small limits make large, unpacked and split messages; without limits everything is combined.
WireSettings random_limits(Random &random)
{
    static constexpr WireSettings kLimits[] = {
        {24, 64, 16, 0, true}, {512, 64, 48, 0, true}, {kNoLimit, kNoLimit, kNoLimit, 0, true}};
    return kLimits[draw(random, 0, 2)];
}

void run_random_case(std::uint64_t seed, bool learns)
{
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int ranks = draw(random, 1, 16);
    const Graph graph = random_graph(random, ranks);
    const Machine machine = random_machine(random, ranks);
    const Programs programs(Construction(graph, machine, random_tuning(random)).run());
    WorldOptions timing;
    timing.eager = draw(random, 0, 2) / 2.0;
    timing.at_once = draw(random, 0, 2) / 2.0;
    World world(ranks, random(), timing);
    ValueOptions options;
    options.learns = learns;
    options.entry = static_cast<std::size_t>(
        draw(random, 1, 24)); // some blocks are too short to search for duplicates
    options.entries = draw(random, 1, 30);
    options.most_per_edge = draw(random, 0, 30);
    options.duplicates_in_block = chance(random, 0.5);
    ValueExchange exchange(graph, programs, random_limits(random), world, options, random);
    exchange.run(learns ? 3 : 2, random);
}

TEST(Sharing, EveryValueArrivesInPersistentStarts)
{
    for (int seed = 0; seed < scaled(3000) && !testing::Test::HasFailure(); ++seed) {
        run_random_case(static_cast<std::uint64_t>(seed), true);
    }
}

TEST(Sharing, EveryValueArrivesInOtherCalls)
{
    for (int seed = 0; seed < scaled(3000) && !testing::Test::HasFailure(); ++seed) {
        run_random_case(static_cast<std::uint64_t>(seed) + 10000, false);
    }
}

TEST(Sharing, LaterStartsAllocateNothing)
{
    for (int seed = 0; seed < scaled(200); ++seed) {
        Random random(static_cast<std::uint64_t>(seed) + 30000);
        const int ranks = draw(random, 2, 16);
        const Graph graph = random_graph(random, ranks);
        const Programs programs(
            Construction(graph, random_machine(random, ranks), random_tuning(random)).run());
        World world(ranks, random(), WorldOptions{});
        ValueExchange exchange(graph, programs, random_limits(random), world, ValueOptions{},
                               random);
        exchange.run(1, random);
        Counting::take();
        exchange.run(4, random);
        ASSERT_EQ(Counting::take(), 0) << "seed " << seed;
    }
}

// The traffic between regions in the starts after the first.
struct Crossing {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
};
using Crossings = std::map<std::pair<Region, Region>, Crossing>;

// Runs rounds in which every rank sends entries without limits, and counts all rounds but the
// first.
Crossings count_crossings(const Graph &graph, const Machine &machine, ValueExchange &exchange,
                          World &world, std::uint32_t rounds, Random &random)
{
    Crossings seen;
    world.on_sent([&](Rank from, Rank to, std::size_t bytes) {
        // The sender is in its start number started(); its peers may be behind it.
        if (exchange.started(from) > 1 && !machine.local(from, to)) {
            Crossing &crossing = seen[{machine.region_of(from), machine.region_of(to)}];
            ++crossing.messages;
            crossing.bytes += static_cast<std::int64_t>(bytes);
        }
    });
    exchange.run(rounds, random);
    EXPECT_EQ(graph.size(), static_cast<std::size_t>(machine.ranks()));
    for (auto &entry : seen) {
        EXPECT_EQ(entry.second.messages % (rounds - 1), 0);
        entry.second.messages /= rounds - 1;
        entry.second.bytes /= rounds - 1;
    }
    return seen;
}

// The entries that cross between regions, each once for a source and a region, and the number of
// components that each pair of regions shares.
struct Needed {
    std::map<std::pair<Region, Region>, std::set<std::pair<Rank, int>>> values;
    std::map<std::pair<Region, Region>, std::set<Rank>> components;
};

Needed find_needed(const Graph &graph, const Machine &machine, const ValueExchange &exchange)
{
    Needed needed;
    const std::vector<Rank> components = components_of(graph);
    for (const Neighbourhood &own : graph) {
        for (std::size_t slot = 0; slot < own.out.size(); ++slot) {
            const Rank peer = own.out[slot].peer;
            if (peer == kNoRank || machine.local(own.rank, peer)) {
                continue;
            }
            const std::pair<Region, Region> pair{machine.region_of(own.rank),
                                                 machine.region_of(peer)};
            for (int entry : exchange.entries(own.rank, slot)) {
                needed.values[pair].insert({own.rank, entry});
                needed.components[pair].insert(components[static_cast<std::size_t>(own.rank)]);
            }
        }
    }
    return needed;
}

void expect_no_value_twice(const Graph &graph, const Machine &machine, const ValueOptions &options,
                           Random &random)
{
    const Programs programs(Construction(graph, machine, random_tuning(random)).run());
    World world(static_cast<int>(graph.size()), random(), WorldOptions{});
    const WireSettings wire{kNoLimit, kNoLimit, kNoLimit, 0, true};
    ValueExchange exchange(graph, programs, wire, world, options, random);
    const Crossings seen = count_crossings(graph, machine, exchange, world, 3, random);
    const Needed needed = find_needed(graph, machine, exchange);
    EXPECT_EQ(seen.size(), needed.values.size());
    for (const auto &[pair, values] : needed.values) {
        const auto found = seen.find(pair);
        ASSERT_NE(found, seen.end());
        EXPECT_EQ(found->second.bytes, static_cast<std::int64_t>(values.size() * options.entry));
        EXPECT_LE(found->second.messages,
                  static_cast<std::int64_t>(needed.components.at(pair).size()));
    }
}

TEST(Sharing, NoValueEntersARegionTwice)
{
    for (int seed = 0; seed < scaled(400) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 20000);
        const int ranks = draw(random, 2, 24);
        ValueOptions options;
        options.handings.pop_back(); // in packed copies nobody can see duplicates
        expect_no_value_twice(random_graph(random, ranks), random_machine(random, ranks), options,
                              random);
    }
}

TEST(Sharing, NoValueEntersARegionTwiceWithAThousandRanks)
{
    for (int ranks : {128, 512, 1024}) { // 2,048 take 24 GB
        if (ranks > std::max(128, scaled(1024))) {
            continue; // sanitizers and valgrind take many times as long
        }
        Random random(static_cast<std::uint64_t>(ranks));
        ValueOptions options;
        options.handings.pop_back();
        expect_no_value_twice(match(sparse_lists(random, ranks, 12)), random_machine(random, ranks),
                              options, random);
    }
}

// The paper's Example 2.1: every rank of region 0 holds a circle and a square, and 15 messages take
// 19 copies of these 8 values to region 1. (The text gives the sends of ranks 0 and 2; those of 1
// and 3 are ours.)
TEST(Sharing, ExampleOfThePaper)
{
    const std::vector<std::vector<std::vector<int>>> sends{
        // to ranks 4 to 7: 0 is the circle, 1 the square
        {{1}, {0, 1}, {0}, {1}},
        {{0}, {0, 1}, {1}, {}},
        {{0, 1}, {1}, {1}, {0}},
        {{1}, {0}, {0, 1}, {0}}};
    Lists lists(8);
    for (Rank source = 0; source < 4; ++source) {
        for (Rank target = 0; target < 4; ++target) {
            if (!sends[static_cast<std::size_t>(source)][static_cast<std::size_t>(target)]
                     .empty()) {
                lists.add(source, 4 + target);
            }
        }
    }
    const Graph graph = match(lists);
    const Machine machine({0, 0, 0, 0, 4, 4, 4, 4});
    for (Handing handing : {Handing::scattered, Handing::indexed, Handing::packed}) {
        Random random(1);
        for (bool aggregated : {false, true}) {
            const Programs programs(aggregated ? Construction(graph, machine, Tuning{}).run()
                                               : direct_patterns(graph, BlockKind::one_per_edge));
            World world(8, 1, WorldOptions{});
            ValueOptions options;
            options.entries = 2;
            options.handings = {handing};
            const WireSettings wire{kNoLimit, kNoLimit, kNoLimit, 0, true};
            ValueExchange exchange(graph, programs, wire, world, options, random);
            std::int64_t copies = 0;
            for (Rank source = 0; source < 4; ++source) {
                for (std::size_t slot = 0;
                     slot < graph[static_cast<std::size_t>(source)].out.size(); ++slot) {
                    const Rank peer = graph[static_cast<std::size_t>(source)].out[slot].peer;
                    const auto &list =
                        sends[static_cast<std::size_t>(source)][static_cast<std::size_t>(peer - 4)];
                    exchange.send(source, slot, list);
                    copies += static_cast<std::int64_t>(list.size());
                }
            }
            Crossings seen = count_crossings(graph, machine, exchange, world, 2, random);
            ASSERT_EQ(seen.size(), 1U);
            const Crossing crossing = seen.begin()->second;
            EXPECT_EQ(crossing.messages, aggregated ? 1 : 15);
            EXPECT_EQ(crossing.bytes, 8 * (aggregated && handing != Handing::packed ? 8 : copies));
        }
    }
}

} // namespace
} // namespace nbrhood::test
