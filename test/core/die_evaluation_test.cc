// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The evaluation of calls between GPU dies: shares of messages, worked out by hand.
#include <gtest/gtest.h>

#include <stdexcept>

#include "analysis/die_evaluation.h"
#include "analysis/lockstep.h"
#include "flow_support.h"
#include "analysis/gpu_nodes.h"
#include "support.h"

namespace nbrhood::test {
namespace {

// Dies 2 and 3, one package, are reachable from 0 only over 1.
DieLinks bottleneck()
{
    return DieLinks({{0, 1, 0, 0}, {1, 0, 1, 1}, {0, 1, 0, 4}, {0, 1, 4, 0}}, {0, 1, 2, 2});
}

Machine machine_of(const DieLinks &links, int ranks)
{
    return machine_of_dies(ranks / links.dies(), links);
}

// A byte per second on each link, two in each adapter, and no latencies.
DieCosts plain_costs()
{
    DieCosts costs;
    costs.link = costs.share = 1;
    costs.adapter = 2;
    costs.latency = costs.network_latency = costs.overhead = 0;
    return costs;
}

struct World {
    World(const DieLinks &links, const Lists &lists, const char *algorithm, std::uint64_t bytes)
        : cluster(machine_of(links, lists.ranks()), links),
          flow(make_flow(links, lists, algorithm, bytes))
    {}

    static Flow make_flow(const DieLinks &links, const Lists &lists, const char *name,
                          std::uint64_t bytes)
    {
        const Graph graph = match(lists);
        for (const Algorithm &row : registry()) {
            if (row.name == std::string(name)) {
                const GraphPatterns built =
                    build_all(row, BlockKind::one_per_rank, graph, machine_of(links, lists.ranks()),
                              Tuning{}, std::make_shared<const DieLinks>(links));
                return Flow(built.patterns, equal_bytes(bytes), FlowLimits{});
            }
        }
        throw std::invalid_argument("no such row");
    }

    double seconds(const DieCosts &costs = plain_costs()) const
    {
        return evaluate(flow, cluster, costs).seconds;
    }

    DieCluster cluster;
    Flow flow;
};

Lists edges(int ranks, const std::vector<std::pair<Rank, Rank>> &all)
{
    Lists lists(ranks);
    for (const auto &[from, to] : all) {
        lists.add(from, to);
    }
    return lists;
}

World direct(const DieLinks &links, int ranks, const std::vector<std::pair<Rank, Rank>> &all,
             std::uint64_t bytes)
{
    return {links, edges(ranks, all), "direct", bytes};
}

TEST(DieRoutes, TakeTheFewestHopsThenTheWidestThenTheLowestDies)
{
    const DieRoutes routes(mi250x_links());
    const auto text = [&](int from, int to) {
        std::string way = std::to_string(from);
        for (const DieStep &step : routes.way(from, to)) {
            EXPECT_EQ(step.from, way.back() - '0');
            way += std::to_string(step.to);
        }
        return way;
    };
    EXPECT_EQ(text(0, 0), "0");
    EXPECT_EQ(text(0, 6), "06");
    EXPECT_EQ(text(0, 3), "013") << "as wide as over 2";
    EXPECT_EQ(text(6, 2), "602") << "as wide as over 4";
    EXPECT_EQ(text(4, 3), "423") << "the only one of two hops and two links";
    EXPECT_EQ(text(7, 0), "760") << "two links, over 3 or 5 it would be three hops";
    const DieLinks apart({{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}, {0, 1, 2});
    EXPECT_TRUE(DieRoutes(apart).way(0, 2).empty());
}

TEST(DieCluster, RefusesRanksWhoseDieIsNotKnown)
{
    EXPECT_THROW(DieCluster(Machine(std::vector<Place>(2)), mi250x_links()), std::invalid_argument);
    EXPECT_THROW(DieCluster(machine_of(mi250x_links(), 8), bottleneck()), std::invalid_argument);
}

TEST(DieEvaluation, MessagesOnALinkShareIt)
{
    EXPECT_DOUBLE_EQ(direct(mi250x_links(), 8, {{0, 2}}, 12).seconds(), 12);
    EXPECT_DOUBLE_EQ(direct(mi250x_links(), 8, {{0, 6}}, 12).seconds(), 6) << "two links";
    EXPECT_DOUBLE_EQ(direct(mi250x_links(), 8, {{0, 2}, {2, 0}}, 12).seconds(), 12)
        << "directions are apart";
    EXPECT_DOUBLE_EQ(direct(bottleneck(), 4, {{0, 1}, {0, 2}}, 12).seconds(), 24);
    EXPECT_DOUBLE_EQ(direct(bottleneck(), 4, {{0, 2}, {1, 3}}, 12).seconds(), 12)
        << "they meet nowhere";
    // 0 to 1 and 0 to 2 share 0-1 until 6 bytes of each have arrived; then one of them ends.
    Lists lists = edges(4, {{0, 2}, {1, 2}});
    EXPECT_DOUBLE_EQ(World(bottleneck(), lists, "direct", 12).seconds(), 24) << "1-2 is shared";
}

TEST(DieEvaluation, WhoIsLeftGetsTheWholeLink)
{
    const Pattern sender = from_text("pattern rank 0 one_per_edge staging 0\n"
                                     "send direct 0 peer 1 key 0 : s0\n"
                                     "send direct 0 peer 1 key 1 : s1\n");
    const Pattern receiver = from_text("pattern rank 1 one_per_edge staging 0\n"
                                       "receive direct 0 peer 0 key 0 : r0\n"
                                       "receive direct 0 peer 0 key 1 : r1\n");
    const Flow flow(
        {sender, receiver}, [](Rank, std::uint32_t block) { return block == 0 ? 4 : 10; },
        FlowLimits{});
    const DieLinks links({{0, 1}, {1, 0}}, {0, 1});
    const DieCluster cluster(machine_of(links, 2), links);
    const DieEvaluation found = evaluate(flow, cluster, plain_costs());
    EXPECT_DOUBLE_EQ(found.finished[0], 8);
    EXPECT_DOUBLE_EQ(found.finished[1], 14);
    EXPECT_DOUBLE_EQ(found.seconds, 14);
    EXPECT_DOUBLE_EQ(found.links, 14);
    EXPECT_DOUBLE_EQ(found.adapters, 0);
}

TEST(DieEvaluation, CostsOfAMessage)
{
    const World world = direct(bottleneck(), 8, {{0, 1}, {0, 4}, {4, 0}}, 16);
    DieCosts costs = plain_costs();
    EXPECT_DOUBLE_EQ(world.seconds(costs), 16);
    costs.link = 4;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 8) << "the adapter's two bytes a second";
    costs.adapters = 4;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 8) << "a message is in one adapter";
    costs.rank = 1;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 16);
    costs.rank = 0;
    costs.network_latency = 3;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 11);
    costs.eager = 15;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 17) << "there and back before";
    costs.overhead = 0.5;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 18) << "the second message of its rank";
    costs.transfer = 0.5;
    EXPECT_DOUBLE_EQ(world.seconds(costs), 32.5) << "one copy engine between dies";
}

TEST(DieEvaluation, NodesShareTheirAdapters)
{
    const World world = direct(bottleneck(), 12, {{0, 4}, {1, 8}, {2, 5}, {9, 6}}, 6);
    const DieEvaluation found = evaluate(world.flow, world.cluster, plain_costs());
    EXPECT_DOUBLE_EQ(found.adapters, 9) << "three messages out of node 0, three into node 1";
    // 1 to 8 and 9 to 6 each have a third of one adapter, the remaining share.
    EXPECT_DOUBLE_EQ(found.seconds, 9);
}

TEST(DieEvaluation, Figure2)
{
    // Both ways over one link: the paper measured up to 1.75.
    const std::vector<std::pair<Rank, Rank>> both{{0, 2}, {0, 3}};
    EXPECT_DOUBLE_EQ(direct(bottleneck(), 4, both, 16).seconds(), 32);
    EXPECT_DOUBLE_EQ(World(bottleneck(), edges(4, both), "leader_scatter", 16).seconds(), 18);
    // 0 to 4 and 0 to 5 of an MI250X have separate routes.
    const std::vector<std::pair<Rank, Rank>> apart{{0, 4}, {0, 5}};
    EXPECT_DOUBLE_EQ(direct(mi250x_links(), 8, apart, 16).seconds(), 16);
    EXPECT_DOUBLE_EQ(World(mi250x_links(), edges(8, apart), "leader_scatter", 16).seconds(), 10);
}

TEST(DieTraffic, CountsLinksAndBoundaries)
{
    const World world = direct(bottleneck(), 8, {{0, 2}, {4, 7}, {4, 5}, {0, 4}, {1, 4}}, 10);
    const DieTraffic traffic = count_die_traffic(world.flow, world.cluster);
    EXPECT_EQ(traffic.enters, (std::vector<std::uint64_t>{0, 20}));
    EXPECT_EQ(traffic.leaves, (std::vector<std::uint64_t>{20, 0}));
    EXPECT_EQ(traffic.link_sum[0 * 4 + 1], 30U);
    EXPECT_EQ(traffic.link_most[0 * 4 + 1], 20U);
    EXPECT_EQ(traffic.link_sum[1 * 4 + 2], 10U);
    EXPECT_EQ(traffic.link_sum[1 * 4 + 3], 10U);
    EXPECT_EQ(traffic.link_sum[1 * 4 + 0], 0U);
    EXPECT_EQ(traffic.host, 0U);
}

TEST(DieTraffic, NoByteEntersANodeTwice)
{
    Random random(20);
    const Lists lists = dense_lists(random, 32, 0.5);
    const World scattered(mi250x_links(), lists, "leader_scatter", 1000);
    const DieTraffic traffic = count_die_traffic(scattered.flow, scattered.cluster);
    const Graph graph = match(lists);
    for (int node = 0; node < 4; ++node) {
        std::uint64_t sources = 0;
        for (const Neighbourhood &own : graph) {
            const bool needed =
                std::any_of(own.out.begin(), own.out.end(),
                            [&](const EdgeEnd &end) { return end.peer / 8 == node; });
            sources += own.rank / 8 != node && needed ? 1 : 0;
        }
        EXPECT_EQ(traffic.enters[static_cast<std::size_t>(node)], 1000 * sources);
    }
}

TEST(DieEvaluation, NoCallIsFasterThanItsBusiestPlace)
{
    Random random(21);
    for (int i = 0; i < scaled(6); ++i) {
        const Lists lists = dense_lists(random, 24, 0.1 * draw(random, 1, 9));
        for (const char *name : {"direct", "leader_scatter", "two_step"}) {
            const World world(mi250x_links(), lists, name, 1000);
            const DieEvaluation found = evaluate(world.flow, world.cluster, plain_costs());
            EXPECT_GE(found.seconds * (1 + 1e-9), std::max(found.links, found.adapters));
            EXPECT_EQ(found.finished, evaluate(world.flow, world.cluster, plain_costs()).finished);
        }
    }
}

TEST(DieCosts, AreReadAsTheyAreWritten)
{
    DieCosts costs = cluster_b_costs();
    const std::string text = die_costs_text(costs);
    EXPECT_NE(text.find("adapters=4"), std::string::npos) << text;
    set_die_cost(costs, "rank=0");
    set_die_cost(costs, "link=1e9");
    EXPECT_EQ(costs.rank, 0);
    EXPECT_EQ(costs.link, 1e9);
    for (const char *wrong :
         {"", "link", "link=", "link=0", "link=-1", "link=1x", "link=nan", "links=1", "=1"}) {
        EXPECT_THROW(set_die_cost(costs, wrong), std::invalid_argument) << wrong;
    }
}

} // namespace
} // namespace nbrhood::test
