// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/forest.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(Forest, LabelsAreTheLowestRanks)
{
    Forest forest;
    EXPECT_EQ(forest.label(7), 7) << "a rank never mentioned is alone";
    forest.unite(9, 4);
    forest.unite(4, 12);
    forest.unite(2, 12);
    forest.unite(2, 2);
    for (Rank rank : {2, 4, 9, 12}) {
        EXPECT_EQ(forest.label(rank), 2);
    }
    EXPECT_EQ(forest.label(3), 3);
    EXPECT_EQ(forest.encode(), (std::vector<std::int32_t>{4, 2, 9, 2, 12, 2}));
    EXPECT_TRUE(Forest().encode().empty());
}

// Forests of several regions, merged in any order and grouping, give the same labels as a plain
// walk.
TEST(Forest, TheOrderOfMergesDoesNotMatter)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 80);
        Graph graph = match(sparse_lists(random, ranks, 1));
        std::vector<Forest> pieces(static_cast<std::size_t>(draw(random, 1, 8)));
        for (const Neighbourhood &own : graph) {
            for (const EdgeEnd &end : own.out) {
                pieces[random() % pieces.size()].unite(own.rank, end.peer);
            }
        }
        while (pieces.size() > 1) {
            std::shuffle(pieces.begin(), pieces.end(), random);
            const auto words = pieces.back().encode();
            EXPECT_LE(words.size(), 2 * static_cast<std::size_t>(ranks));
            pieces.pop_back();
            pieces.back().merge(words);
        }
        const auto expected = components_of(graph);
        for (Rank rank = 0; rank < ranks; ++rank) {
            ASSERT_EQ(pieces[0].label(rank), expected[static_cast<std::size_t>(rank)]);
        }
        // A region asks for the labels of its own ranks only.
        const auto words = pieces[0].encode();
        std::vector<Rank> some;
        for (Rank rank = 0; rank < ranks; ++rank) {
            if (chance(random, 0.5)) {
                some.push_back(rank);
            }
        }
        Forest part;
        part.merge(words, some);
        for (const Rank rank : some) {
            ASSERT_EQ(part.label(rank), expected[static_cast<std::size_t>(rank)]);
        }
    }
}

// Depth must not grow with the number of ranks, whatever the order.
TEST(Forest, LongChainsStayFast)
{
    constexpr Rank kRanks = 100000;
    Forest up, down;
    for (Rank rank = 1; rank < kRanks; ++rank) {
        up.unite(rank - 1, rank);
        down.unite(kRanks - rank, kRanks - rank - 1);
    }
    EXPECT_EQ(up.label(kRanks - 1), 0);
    EXPECT_EQ(down.label(kRanks - 1), 0);
    EXPECT_EQ(up.encode(), down.encode());
}

} // namespace
} // namespace nbrhood::test
