// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proves patterns of friends on random graphs, machines and settings, in creations and while
// the program runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/lockstep.h"
#include "component_builds.h"
#include "execute/program.h"
#include "friends_world.h"

namespace nbrhood::test {
namespace {

std::vector<Pattern> take(const std::vector<std::unique_ptr<Builder>> &builders)
{
    std::vector<Pattern> patterns;
    for (const auto &builder : builders) {
        EXPECT_EQ(builder->outcome(0), Outcome::built);
        patterns.push_back(builder->take_pattern(0));
    }
    return patterns;
}

void expect_proved(const std::vector<Pattern> &patterns, const Graph &graph, Random &random)
{
    for (const IsLarge &large :
         {IsLarge([](const Edge &) { return false; }), IsLarge([](const Edge &) { return true; }),
          random_large(random)}) {
        const auto faults = prove(patterns, graph, large);
        EXPECT_TRUE(faults.empty()) << joined(faults);
    }
    for (const Pattern &pattern : patterns) {
        EXPECT_NO_THROW(Program{pattern});
    }
}

std::size_t messages_of(const Pattern &pattern, int phase)
{
    return static_cast<std::size_t>(std::count_if(
        pattern.operations.begin(), pattern.operations.end(), [&](const Operation &operation) {
            return operation.kind == OperationKind::send && operation.phase == phase;
        }));
}

std::size_t combined(const std::vector<Pattern> &patterns)
{
    std::size_t messages = 0;
    for (const Pattern &pattern : patterns) {
        messages += messages_of(pattern, kRedistribute);
    }
    return messages;
}

TEST(CommonNeighbor, IsProvedOnThousandsOfSmallGraphs)
{
    std::size_t messages = 0;
    for (int seed = 0; seed < scaled(2000) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 24);
        FriendsWorld world(friendly_graph(random, ranks), random_machine(random, ranks),
                           chance(random, 0.5));
        const auto builders = world.builders(random_friends(random));
        ASSERT_GE(run_in_random_order(builders, random), 0);
        const auto patterns = take(builders);
        expect_proved(patterns, world.graph(), random);
        messages += combined(patterns);
    }
    EXPECT_GT(messages, 1000U);
}

TEST(CommonNeighbor, IsProvedOnMediumGraphsWithAllParameters)
{
    for (int seed = 0; seed < scaled(10) && !HasFailure(); ++seed) {
        for (const int k : kFriendSizes) {
            for (const bool anywhere : {false, true}) {
                SCOPED_TRACE("seed " + std::to_string(seed) + " k " + std::to_string(k));
                Random random(static_cast<std::uint64_t>(seed) + 10000);
                const int ranks = draw(random, 25, 80);
                FriendsWorld world(friendly_graph(random, ranks), random_machine(random, ranks),
                                   chance(random, 0.5));
                const auto builders = world.builders(tuned(k, anywhere));
                ASSERT_NO_THROW(run_lockstep(builders));
                expect_proved(take(builders), world.graph(), random);
            }
        }
    }
}

// A creation and a build while the program runs find the same friends.
TEST(CommonNeighbor, IsTheSameBesideTheProgram)
{
    for (int seed = 0; seed < scaled(100) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 20000);
        const int ranks = draw(random, 2, 24);
        const Graph graph = match(dense_lists(random, ranks, 0.7));
        const Machine machine = random_machine(random, ranks);
        const Tuning tuning = random_friends(random);
        FriendsWorld created(graph, machine, false), beside(graph, machine, true);
        const auto first = created.builders(tuning), second = beside.builders(tuning);
        run_lockstep(first);
        run_lockstep(second);
        for (std::size_t r = 0; r < graph.size(); ++r) {
            ASSERT_EQ(words_of(first[r]->traffic(0)), words_of(second[r]->traffic(0)));
        }
        ASSERT_EQ(take(first), take(second));
    }
}

TEST(CommonNeighbor, WholeBuildsBesideTheProgramAreRight)
{
    for (int seed = 0; seed < scaled(150) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 30000);
        const int ranks = draw(random, 2, 30);
        Settings settings =
            settings_of(find_choice("common_neighbor"), Collective::neighbor_allgather);
        settings.values.set(kFriendsPerGroup, kFriendSizes[draw(random, 0, 4)]);
        settings.values.set(kFriendsAnywhere, chance(random, 0.5));
        Builds builds(friendly_graph(random, ranks), random_machine(random, ranks),
                      std::vector<Settings>(static_cast<std::size_t>(ranks), settings), random,
                      Collective::neighbor_allgather, 8);
        builds.run(random);
        expect_right(builds);
    }
}

// Two nodes of k ranks; the ranks of the first send to all ranks of the second: equation 1.
TEST(CommonNeighbor, FriendsSendTheirShareOfTheCommonNeighbours)
{
    for (const int k : {2, 3, 4, 8}) {
        const int m = 3 * k + 1;
        Lists lists(k + m);
        for (Rank friend_ = 0; friend_ < k; ++friend_) {
            lists.add(k, friend_); // a relay must also receive
            for (Rank common = k; common < k + m; ++common) {
                lists.add(friend_, common);
            }
        }
        const Graph graph = match(lists);
        const auto built = build_all(friends_row(), BlockKind::one_per_rank, graph,
                                     make_machine({k, m}), tuned(k, false));
        for (Rank friend_ = 0; friend_ < k; ++friend_) {
            const Pattern &pattern = built.patterns[static_cast<std::size_t>(friend_)];
            EXPECT_EQ(messages_of(pattern, kGather), static_cast<std::size_t>(k - 1));
            EXPECT_EQ(messages_of(pattern, kRedistribute),
                      static_cast<std::size_t>(m / k + (friend_ < m % k ? 1 : 0)));
            EXPECT_EQ(messages_of(pattern, kLocal), 0U);
        }
        EXPECT_EQ(built.traffic.phases, 2);
        EXPECT_EQ(built.traffic.relayed.all_messages, k * (k - 1) + m + k);
    }
}

// A rank without in-edges may skip calls, so it has no friends.
TEST(CommonNeighbor, RanksWithoutInEdgesRelayNothing)
{
    Lists lists(12);
    for (Rank sender = 0; sender < 4; ++sender) {
        for (Rank common = 4; common < 12; ++common) {
            lists.add(sender, common);
        }
    }
    const auto built = build_all(friends_row(), BlockKind::one_per_rank, match(lists),
                                 make_machine({12}), tuned(2, true));
    EXPECT_EQ(built.patterns, direct_patterns(match(lists), BlockKind::one_per_rank));
}

TEST(CommonNeighbor, IsProvedOnAThousandRanks)
{
    struct Case {
        double density;
        int k;
        bool anywhere;
    };
    const int ranks = scaled_ranks(1024);
    for (const Case &one :
         {Case{0.1, 0, false}, {0.3, 3, false}, {0.8, 8, false}, {0.1, 2, true}}) {
        SCOPED_TRACE("density " + std::to_string(one.density) + " k " + std::to_string(one.k));
        Random random(4);
        const Graph graph = match(dense_lists(random, ranks, one.density));
        const auto built =
            build_all(friends_row(), BlockKind::one_per_rank, graph,
                      make_machine(std::vector<int>(static_cast<std::size_t>(ranks / 32), 32)),
                      tuned(one.k, one.anywhere, one.anywhere ? 128 : 1024));
        const auto faults = prove(built.patterns, graph, random_large(random));
        EXPECT_TRUE(faults.empty()) << joined(faults);
        if (ranks == 1024) { // fewer have too few neighbours in common
            EXPECT_LT(built.traffic.relayed.all_messages,
                      built.traffic.direct.all_messages * 9 / 10);
        }
    }
}

// All ranks up to `radius` away in both dimensions of a periodic square.
Graph moore(int side, int radius)
{
    Lists lists(side * side);
    for (Rank rank = 0; rank < side * side; ++rank) {
        for (int dx = -radius; dx <= radius; ++dx) {
            for (int dy = -radius; dy <= radius; ++dy) {
                const int x = (rank / side + dx + side) % side,
                          y = (rank % side + dy + side) % side;
                if (dx != 0 || dy != 0) {
                    lists.add(rank, x * side + y);
                }
            }
        }
    }
    return match(lists);
}

TEST(CommonNeighbor, IsProvedOnFourThousandRanks)
{
    const int ranks = scaled_ranks(4096);
    const Graph graph = moore(ranks == 4096 ? 64 : 32, 2);
    const Machine machine =
        make_machine(std::vector<int>(static_cast<std::size_t>(ranks / 32), 32));
    for (const bool anywhere : {false, true}) {
        Random random(5);
        const auto built =
            build_all(friends_row(), BlockKind::one_per_rank, graph, machine, tuned(2, anywhere));
        const auto faults = prove(built.patterns, graph, random_large(random));
        EXPECT_TRUE(faults.empty()) << joined(faults);
        // Two friends have 20 of 24 neighbours in common: at most 10 messages to these, 1 to the
        // friend and 4 to the other neighbours.
        EXPECT_LE(built.traffic.relayed.all_messages, ranks * 15);
    }
}

} // namespace
} // namespace nbrhood::test
