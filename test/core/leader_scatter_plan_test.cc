// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans of leader_scatter exchange real bytes with random timing: parts of blocks, passed on from
// receive slots, in the order in which both ends list them.
#include <gtest/gtest.h>

#include "analysis/lockstep.h"
#include "analysis/gpu_nodes.h"
#include "plan_fixture.h"
#include "select/selection.h"

namespace nbrhood::test {
namespace {

// T is 24 bytes.
WireSettings small_wire()
{
    return WireSettings{24, 64, 16, 0};
}

struct Case {
    explicit Case(Random &random)
    {
        const DieLinks links = chance(random, 0.5) ? mi250_links() : mi250x_links();
        const Machine machine = machine_of_dies(draw(random, 1, 3), links);
        graph = chance(random, 0.5)
                    ? match(dense_lists(random, machine.ranks(), draw(random, 1, 8) / 10.0))
                    : random_graph(random, machine.ranks());
        patterns = build_all(row_of(find_choice("leader_scatter")), BlockKind::one_per_rank, graph,
                             machine, Tuning{}, std::make_shared<DieLinks>(links))
                       .patterns;
    }
    Graph graph;
    std::vector<Pattern> patterns;
};

class LeaderScatterPlans : public testing::TestWithParam<Sizes> {};

TEST_P(LeaderScatterPlans, MoveTheRightBytes)
{
    for (int seed = 0; seed < scaled(300) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Case made(random);
        const Programs programs(made.patterns);
        WorldOptions options;
        options.eager = draw(random, 0, 2) / 2.0;
        options.at_once = draw(random, 0, 2) / 2.0;
        World world(static_cast<int>(made.graph.size()), random(), options);
        const bool uniform = GetParam() == Sizes::known;
        const std::size_t bytes = static_cast<std::size_t>(draw(random, 0, 60));
        Exchange exchange(made.graph, programs, small_wire(), world, BlockKind::one_per_rank,
                          uniform ? SizeOf([=](const Edge &) { return bytes; })
                                  : mixed_sizes(random(), small_wire()),
                          GetParam(), draw(random, 0, 2) / 2.0, random);
        for (int round = 0; round < 3; ++round) {
            exchange.run_once(world);
            ASSERT_EQ(exchange.hanging(), 0);
        }
        EXPECT_TRUE(exchange.faults().empty()) << exchange.faults().front();
        EXPECT_TRUE(exchange.guards_intact());
        EXPECT_TRUE(world.empty()) << "messages or receives are left";
        EXPECT_EQ(world.misuses(), 0);
        for (const Neighbourhood &own : made.graph) {
            EXPECT_EQ(exchange.error(own.rank), 0) << "rank " << own.rank;
        }
    }
}

// Blocks of up to T go in one message for each edge.
TEST_P(LeaderScatterPlans, SmallBlocksGoDirectly)
{
    for (int seed = 0; seed < scaled(30); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Case made(random);
        const Programs programs(made.patterns);
        World world(static_cast<int>(made.graph.size()), random(), {});
        std::size_t edges = 0, messages = 0;
        for (const Neighbourhood &own : made.graph) {
            for (const auto &edge : own.out) {
                edges += edge.peer != own.rank && edge.peer != kNoRank ? 1 : 0;
            }
        }
        Exchange exchange(
            made.graph, programs, small_wire(), world, BlockKind::one_per_rank,
            [](const Edge &) { return std::size_t{24}; }, GetParam(), 0.5, random);
        exchange.run_once(world); // where sizes are learnt, its messages have headers
        world.on_sent([&](Rank, Rank, std::size_t) { ++messages; });
        exchange.run_once(world);
        EXPECT_TRUE(exchange.faults().empty()) << exchange.faults().front();
        EXPECT_EQ(messages, edges);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LeaderScatterPlans,
                         testing::Values(Sizes::told, Sizes::learnt, Sizes::known));

// Calls of the transport fail: a rank that ends without an error has the right bytes.
TEST(LeaderScatterPlan, FailuresLeaveNothingWrong)
{
    int failed = 0;
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Case made(random);
        const int ranks = static_cast<int>(made.graph.size());
        const Programs programs(made.patterns);
        WorldOptions options;
        options.fail_rank = draw(random, 0, ranks - 1);
        options.fail_call = draw(random, 0, 20);
        World world(ranks, static_cast<std::uint64_t>(seed), options);
        Exchange exchange(
            made.graph, programs, small_wire(), world, BlockKind::one_per_rank,
            [](const Edge &) { return std::size_t{61}; }, Sizes::told, 0.5, random);
        exchange.run_once(world);
        EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        EXPECT_TRUE(exchange.guards_intact());
        for (Rank rank = 0; rank < ranks; ++rank) {
            failed += exchange.takes_part(rank) && exchange.error(rank) != 0 ? 1 : 0;
        }
    }
    EXPECT_GT(failed, 0);
}

} // namespace
} // namespace nbrhood::test
