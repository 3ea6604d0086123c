// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "support.h"

namespace nbrhood::test {
namespace {

std::uint64_t sum_of_balances(const Graph &graph)
{
    std::uint64_t sum = 0;
    for (const Neighbourhood &own : graph) {
        sum += edge_balance(own);
    }
    return sum;
}

TEST(Neighbourhood, MatchesTheKthEdgeToARankWithTheKthFromIt)
{
    const Neighbourhood own = match_by_order(4, {2, 7, 2, -2, 4, 2}, {7, 7, -5, 4, 2});
    ASSERT_EQ(own.in.size(), 6U);
    ASSERT_EQ(own.out.size(), 5U);
    EXPECT_EQ(own.rank, 4);
    const std::vector<std::int32_t> in_keys{0, 0, 1, 0, 0, 2};
    for (std::size_t i = 0; i < in_keys.size(); ++i) {
        EXPECT_EQ(own.in[i].key, in_keys[i]);
    }
    EXPECT_EQ(own.in[3].peer, kNoRank) << "any negative rank is MPI_PROC_NULL";
    EXPECT_EQ(own.out[1].key, 1);
    EXPECT_EQ(own.out[2].peer, kNoRank);
    EXPECT_EQ(own.out[3].peer, 4);
}

TEST(Neighbourhood, EveryOutEdgeHasItsInEdge)
{
    for (int seed = 0; seed < scaled(500); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Graph graph = random_graph(random, draw(random, 1, 24));
        std::map<std::tuple<Rank, Rank, std::int32_t>, int> ends;
        for (const Neighbourhood &own : graph) {
            for (const EdgeEnd &end : own.out) {
                ends[{own.rank, end.peer, end.key}] += end.peer != kNoRank ? 1 : 0;
            }
            for (const EdgeEnd &end : own.in) {
                ends[{end.peer, own.rank, end.key}] += end.peer != kNoRank ? 16 : 0;
            }
        }
        for (const auto &entry : ends) {
            ASSERT_TRUE(entry.second == 17 || entry.second == 0);
        }
        ASSERT_EQ(sum_of_balances(graph), 0U);
    }
}

TEST(Neighbourhood, BalanceShowsADroppedEdge)
{
    for (int seed = 0; seed < scaled(500); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        Graph graph = match(sparse_lists(random, draw(random, 2, 24), 4));
        Neighbourhood &own = graph[random() % graph.size()];
        auto &ends = chance(random, 0.5) ? own.in : own.out;
        if (ends.empty()) {
            continue;
        }
        ends.pop_back();
        ASSERT_NE(sum_of_balances(graph), 0U);
    }
}

TEST(Neighbourhood, BalanceShowsAnEdgeThatGoesElsewhere)
{
    Lists lists(3);
    lists.add(0, 1);
    lists.destinations[0][0] = 2;
    EXPECT_NE(sum_of_balances(match(lists)), 0U);
    Lists reversed(2);
    reversed.destinations[0].push_back(1);
    reversed.sources[0].push_back(1);
    EXPECT_NE(sum_of_balances(match(reversed)), 0U);
}

TEST(Neighbourhood, CartesianSlotsMeetTheirOpposites)
{
    const Neighbourhood own = match_cartesian(0, {3, 1, -2, 5});
    EXPECT_EQ(own.out[0].key, 0);
    EXPECT_EQ(own.in[0].key, 1);
    EXPECT_EQ(own.out[3].key, 3);
    EXPECT_EQ(own.in[3].key, 2);
    EXPECT_EQ(own.in[2].peer, kNoRank);
    EXPECT_TRUE(own.has_edges());
    EXPECT_FALSE(match_cartesian(0, {-1, -1}).has_edges());
    EXPECT_FALSE(match_by_order(0, {-2}, {-1, -1}).has_edges());
    EXPECT_TRUE(match_by_order(0, {0}, {0}).has_edges());
}

TEST(Neighbourhood, WeightsAreClamped)
{
    Neighbourhood own = match_by_order(0, {1, 2, 3}, {1, -2});
    EXPECT_EQ(own.in[1].weight, 1);
    set_weights(own, {-1, 7, kGreatestWeight + 1}, {0, 5});
    EXPECT_EQ(own.in[0].weight, 0);
    EXPECT_EQ(own.in[1].weight, 7);
    EXPECT_EQ(own.in[2].weight, kGreatestWeight);
    EXPECT_EQ(own.out[0].weight, 0);
    EXPECT_EQ(own.out[1].weight, 5);
    EXPECT_EQ(own.out[1].peer, kNoRank);
}

} // namespace
} // namespace nbrhood::test
