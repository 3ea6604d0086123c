// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans of collectives with one count a rank: every rank knows the size of all blocks, so that
// combined messages need no headers.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan_fixture.h"

namespace nbrhood::test {
namespace {

WireSettings small_wire()
{
    return WireSettings{24, 64, 16, 0};
}

// A graph with its patterns in which each component has one size.
struct Case {
    Case(Random &random, BlockKind kind)
    {
        for (bool found = false; !found;) {
            const int ranks = draw(random, 1, 16);
            graph = random_graph(random, ranks);
            Construction built(graph, random_machine(random, ranks), random_tuning(random), kind,
                               chance(random, 0.3) ? kTwoStep : kThreeStep);
            patterns = built.run();
            for (std::size_t rank = 0; rank < graph.size(); ++rank) {
                found = found || (built.has_edges(rank) && built.builders()[rank]->one_size());
            }
        }
    }
    Graph graph;
    std::vector<Pattern> patterns;
};

SizeOf size_by_component(const Graph &graph, std::uint64_t seed)
{
    static constexpr std::size_t kSizes[] = {0, 1, 7, 8, 15, 16, 17, 24, 25, 100};
    const std::vector<Rank> components = components_of(graph);
    return [=](const Edge &edge) {
        const Rank known = edge.source != kNoRank ? edge.source : edge.destination;
        const auto label = static_cast<std::uint64_t>(components[static_cast<std::size_t>(known)]);
        return kSizes[mix(label + seed) % std::size(kSizes)];
    };
}

void run(Exchange &exchange, World &world, const Graph &graph, int rounds)
{
    for (int round = 0; round < rounds; ++round) {
        exchange.run_once(world);
        ASSERT_EQ(exchange.hanging(), 0);
    }
    EXPECT_TRUE(exchange.faults().empty()) << exchange.faults().front();
    EXPECT_TRUE(exchange.guards_intact());
    EXPECT_TRUE(world.empty()) << "messages or receives are left";
    EXPECT_EQ(world.misuses(), 0);
    for (const Neighbourhood &own : graph) {
        EXPECT_EQ(exchange.error(own.rank), 0) << "rank " << own.rank;
    }
}

TEST(KnownSizes, DeliverAllBlocksFromTheFirstStart)
{
    for (int seed = 0; seed < scaled(4000) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const BlockKind kind = kKinds[seed % 2];
        const Case made(random, kind);
        const Programs programs(made.patterns);
        WorldOptions options;
        options.eager = draw(random, 0, 2) / 2.0;
        options.at_once = draw(random, 0, 2) / 2.0;
        World world(static_cast<int>(made.graph.size()), random(), options);
        Exchange exchange(made.graph, programs, small_wire(), world, kind,
                          size_by_component(made.graph, random()), Sizes::known,
                          draw(random, 0, 2) / 2.0, random);
        run(exchange, world, made.graph, 3);
    }
}

// The buffers of the next call are elsewhere.
TEST(KnownSizes, PlansAreBoundAgainWhenBlocksMove)
{
    for (int seed = 0; seed < scaled(300) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const BlockKind kind = kKinds[seed % 2];
        const Case made(random, kind);
        const Programs programs(made.patterns);
        World world(static_cast<int>(made.graph.size()), random(), {});
        Exchange exchange(made.graph, programs, small_wire(), world, kind,
                          size_by_component(made.graph, random()), Sizes::known, 0.5, random);
        run(exchange, world, made.graph, 1);
        for (const Neighbourhood &own : made.graph) {
            if (exchange.takes_part(own.rank)) {
                for (std::size_t slot = 0; slot < own.in.size(); ++slot) {
                    exchange.expect_size(own.rank, slot, exchange.size(own.rank, slot));
                }
                exchange.plan(own.rank).rebind();
            }
        }
        run(exchange, world, made.graph, 2);
    }
}

Graph all_to_all(int ranks)
{
    Lists lists(ranks);
    for (Rank source = 0; source < ranks; ++source) {
        for (Rank other = 1; other < ranks; ++other) {
            lists.add(source, (source + other) % ranks);
        }
    }
    return match(lists);
}

// A program with two buffers, used in turn: the plan follows without being bound again.
TEST(KnownSizes, PlansFollowTheirBuffers)
{
    const Graph graph = all_to_all(8);
    const auto value = [](Rank source, Rank destination, int round) {
        return static_cast<std::uint64_t>(100 * source + 10 * destination + 1000 * round + 1);
    };
    for (const std::size_t threshold : {std::size_t{4}, std::size_t{64}}) { // direct, combined
        Construction built(graph, make_machine({4, 4}), Tuning{});
        const Programs programs(built.run());
        World world(8, 2, {});
        WireSettings wire{threshold, 4096, 64, programs.hash};
        std::vector<std::unique_ptr<Plan>> plans;
        std::vector<std::vector<std::uint64_t>> buffers(8, std::vector<std::uint64_t>(4 * 7));
        int ended = 0;
        world.on_finished([&](Rank, AnyPlan &, int error) { ended += error == 0 ? 1 : 0; });
        const auto at = [&](Rank rank, int buffer, std::size_t slot) {
            return &buffers[static_cast<std::size_t>(rank)]
                           [static_cast<std::size_t>(buffer) * 7 + slot];
        };
        for (const Neighbourhood &own : graph) {
            plans.push_back(std::make_unique<Plan>(programs.of[static_cast<std::size_t>(own.rank)],
                                                   wire, world.transport(own.rank), Sizes::known));
            for (std::size_t slot = 0; slot < 7; ++slot) {
                for (const int receives : {0, 1}) {
                    auto *place = at(own.rank, receives, slot);
                    (receives == 0 ? plans.back()->send_blocks() : plans.back()->receive_blocks())
                        .push_back(
                            UserBlock{place, 1, nullptr, 8, reinterpret_cast<char *>(place)});
                }
            }
        }
        for (int round = 0; round < 5; ++round) { // from 0 to 1, then 2 to 3, and so on
            const int send = round % 2 == 0 ? 0 : 2;
            for (const Neighbourhood &own : graph) {
                for (std::size_t slot = 0; slot < 7; ++slot) {
                    *at(own.rank, send, slot) = value(own.rank, own.out[slot].peer, round);
                    *at(own.rank, send + 1, slot) = 0;
                }
                if (round > 0) {
                    const std::ptrdiff_t bytes = (send == 0 ? -2 : 2) * 7 * 8;
                    plans[static_cast<std::size_t>(own.rank)]->move(bytes, bytes);
                }
                plans[static_cast<std::size_t>(own.rank)]->start(kTagBlocking,
                                                                 static_cast<unsigned>(round));
            }
            while (world.advance()) {}
            ASSERT_EQ(ended, 8 * (round + 1));
            for (const Neighbourhood &own : graph) {
                for (std::size_t slot = 0; slot < 7; ++slot) {
                    EXPECT_EQ(*at(own.rank, send + 1, slot),
                              value(own.in[slot].peer, own.rank, round));
                }
            }
        }
    }
}

// Blocks of 8 bytes, 8 ranks on 2 nodes: a message contains only its blocks, and blocks above T are
// not combined.
TEST(KnownSizes, NothingTravelsButBlocks)
{
    const Graph graph = all_to_all(8);
    for (const bool known : {false, true}) {
        for (const std::size_t bytes : {std::size_t{8}, std::size_t{32}}) {
            Random random(1);
            Construction built(graph, make_machine({4, 4}), Tuning{});
            const Programs programs(built.run());
            World world(8, 2, {});
            Exchange exchange(
                graph, programs, WireSettings{16, 4096, 16, 0}, world, BlockKind::one_per_edge,
                [=](const Edge &) { return bytes; }, known ? Sizes::known : Sizes::told, 0.0,
                random);
            exchange.run_once(world);
            EXPECT_EQ(exchange.hanging(), 0);
            EXPECT_TRUE(exchange.faults().empty());
            if (bytes > 16) {
                EXPECT_EQ(world.bytes_messages() == 0, known);
            } else {
                EXPECT_EQ(world.largest_message() % 8, 0U);
                EXPECT_EQ(world.largest_message() <= 16 * 8, known) << world.largest_message();
            }
        }
    }
}

// In a wrong program one rank sends more or less than it receives. All ranks that miss a block get
// an error; no rank waits, and no byte is written outside a block.
TEST(KnownSizes, ARankWithTwoSizesIsAnErrorOfAllThatNeedIt)
{
    const Graph graph = all_to_all(8);
    for (const std::size_t other : {std::size_t{1}, std::size_t{4}, std::size_t{12}}) {
        for (const bool strided : {false, true}) {
            SCOPED_TRACE(std::to_string(other));
            Random random(1);
            Construction built(graph, make_machine({4, 4}), Tuning{});
            const Programs programs(built.run());
            World world(8, 2, {});
            Exchange exchange(
                graph, programs, WireSettings{16, 4096, 16, 0}, world, BlockKind::one_per_edge,
                [=](const Edge &edge) { return edge.source == 3 ? other : std::size_t{8}; },
                Sizes::known, strided ? 1.0 : 0.0, random);
            for (std::size_t slot = 0; slot < 7; ++slot) { // the receivers do not know
                for (Rank rank = 0; rank < 8; ++rank) {
                    exchange.expect_size(rank, slot, 8);
                }
            }
            exchange.run_once(world);
            EXPECT_EQ(exchange.hanging(), 0);
            EXPECT_NE(exchange.error(3), 0);
            EXPECT_NE(exchange.error(5), 0) << "on the other node";
            EXPECT_TRUE(exchange.guards_intact());
        }
    }
}

} // namespace
} // namespace nbrhood::test
