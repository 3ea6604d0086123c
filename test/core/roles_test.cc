// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/roles.h"
#include "support.h"

namespace nbrhood::test {
namespace {

Roles roles_of(const Graph &graph)
{
    Roles roles(static_cast<Rank>(graph.size()));
    for (const Neighbourhood &own : graph) {
        for (const EdgeEnd &end : own.out) {
            if (end.peer != kNoRank) {
                roles.add_edge(own.rank, end.peer);
            }
        }
    }
    return roles;
}

// Whether sizes may differ within a component: starts with one rank's two sizes and follows the
// edges until nothing changes.
bool one_size_by_walking(const Graph &graph)
{
    const std::size_t ranks = graph.size();
    for (const Neighbourhood &start : graph) {
        std::vector<char> sent(ranks, 0),
            received(ranks, 0); // sizes equal to the size that `start` sends
        sent[static_cast<std::size_t>(start.rank)] = 1;
        for (bool again = true; again;) {
            again = false;
            for (const Neighbourhood &own : graph) {
                for (const EdgeEnd &end : own.out) {
                    if (end.peer == kNoRank) {
                        continue;
                    }
                    char &from = sent[static_cast<std::size_t>(own.rank)];
                    char &to = received[static_cast<std::size_t>(end.peer)];
                    again = again || from != to;
                    from = to = static_cast<char>(from | to);
                }
            }
        }
        const auto real = [](const EdgeEnd &end) { return end.peer != kNoRank; };
        const bool both = std::any_of(start.in.begin(), start.in.end(), real)
                          && std::any_of(start.out.begin(), start.out.end(), real);
        if (both && received[static_cast<std::size_t>(start.rank)] == 0) {
            return false;
        }
    }
    return true;
}

TEST(Roles, RingsOfEvenLengthHaveTwoSizes)
{
    for (const int ranks : {2, 3, 4, 5, 8, 9}) {
        Lists both_directions(ranks);
        Lists one_way(ranks);
        for (Rank rank = 0; rank < ranks; ++rank) {
            const Rank next = (rank + 1) % ranks;
            both_directions.add(rank, next);
            both_directions.add(next, rank);
            one_way.add(rank, next);
        }
        EXPECT_EQ(roles_of(match(both_directions)).one_size(), ranks % 2 == 1) << ranks;
        EXPECT_FALSE(roles_of(match(one_way)).one_size()) << ranks;
        both_directions.add(0, 0); // a rank that sends to itself has one size
        EXPECT_TRUE(roles_of(match(both_directions)).one_size()) << ranks;
    }
    EXPECT_TRUE(Roles(4).one_size()) << "no edges";
}

TEST(Roles, ABlockThatIsNotPassedOnHasOneSize)
{
    Lists lists(3); // nobody both sends and receives
    lists.add(0, 1);
    lists.add(2, 1);
    EXPECT_TRUE(roles_of(match(lists)).one_size());
    lists.add(1, 0);
    EXPECT_FALSE(roles_of(match(lists)).one_size());
}

TEST(Roles, AreWhatAWalkFindsAndMergeInAnyOrder)
{
    int with_one_size = 0;
    const int cases = scaled(600);
    for (int seed = 0; seed < cases; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Graph graph = random_graph(random, draw(random, 1, 24));
        Roles whole = roles_of(graph);
        EXPECT_EQ(whole.one_size(), one_size_by_walking(graph));
        with_one_size += whole.one_size() ? 1 : 0;
        const auto words = whole.encode();
        ASSERT_TRUE(whole.is_encoded(words));
        EXPECT_LE(words.size(), 4 * graph.size());
        Roles merged(static_cast<Rank>(graph.size()));
        merged.merge(words);
        EXPECT_EQ(merged.one_size(), whole.one_size());
        Forest components = merged.components();
        const std::vector<Rank> expected = components_of(graph);
        for (Rank rank = 0; rank < static_cast<Rank>(graph.size()); ++rank) {
            EXPECT_EQ(components.label(rank), expected[static_cast<std::size_t>(rank)]);
        }
    }
    EXPECT_GT(with_one_size, cases / 10);
    EXPECT_LT(with_one_size, cases * 9 / 10);
}

TEST(Roles, RefuseWordsThatCannotBe)
{
    Roles roles(4);
    EXPECT_TRUE(roles.is_encoded({5, 1}));
    EXPECT_FALSE(roles.is_encoded({8, 1})) << "no such role";
    EXPECT_FALSE(roles.is_encoded({5, 5}));
    EXPECT_FALSE(roles.is_encoded({5}));
}

// The builders' protocol gives the same result as the whole graph, on all ranks that take part.
TEST(Roles, BuildersFindOutWhetherThereIsOneSize)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 40);
        const Graph graph = random_graph(random, ranks);
        Construction built(graph, random_machine(random, ranks), random_tuning(random),
                           all_tasks());
        built.run();
        const bool expected = roles_of(graph).one_size();
        for (std::size_t rank = 0; rank < graph.size(); ++rank) {
            if (built.has_edges(rank)) {
                EXPECT_EQ(built.builders()[rank]->one_size(), expected) << "rank " << rank;
            }
        }
    }
}

} // namespace
} // namespace nbrhood::test
