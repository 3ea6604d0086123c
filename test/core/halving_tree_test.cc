// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Halving of ranks: by count and at borders, down to sockets and to nodes.
#include <gtest/gtest.h>

#include <numeric>

#include "algorithms/distance_halving/halving_tree.h"
#include "support.h"

namespace nbrhood::test {
namespace {

// nodes[n][s] ranks on socket s of node n.
Machine with_sockets(const std::vector<std::vector<int>> &nodes)
{
    std::vector<Place> places;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        for (std::size_t socket = 0; socket < nodes[node].size(); ++socket) {
            Place place;
            place.node = static_cast<std::int32_t>(node);
            place.domain(Level::socket) = static_cast<std::int16_t>(socket + 1);
            places.insert(places.end(), static_cast<std::size_t>(nodes[node][socket]), place);
        }
    }
    return Machine(places);
}

KnownRanks all_of(const Machine &machine)
{
    return {machine, std::vector<char>(static_cast<std::size_t>(machine.ranks()), 1)};
}

std::vector<std::vector<int>> cuts(const HalvingTree &tree)
{
    std::vector<std::vector<int>> cuts;
    for (const Halving &halving : tree.halvings()) {
        cuts.push_back({halving.first, halving.middle, halving.end, halving.depth});
    }
    return cuts;
}

using Cuts = std::vector<std::vector<int>>;

TEST(HalvingTree, ByCountStopAtTheSizeOfASocket)
{
    const KnownRanks all = all_of(with_sockets({{3, 3}, {2, 2}}));
    EXPECT_EQ(cuts(HalvingTree(all, Cut::count, Leaf::socket)),
              (Cuts{{0, 5, 10, 0}, {0, 3, 5, 1}, {5, 8, 10, 1}}));
    EXPECT_EQ(cuts(HalvingTree(all, Cut::count, Leaf::node)), (Cuts{{0, 5, 10, 0}}));
}

TEST(HalvingTree, AtBordersBetweenNodesThenSockets)
{
    const KnownRanks all = all_of(with_sockets({{3, 3}, {2, 2}, {1}}));
    EXPECT_EQ(cuts(HalvingTree(all, Cut::border, Leaf::socket)),
              (Cuts{{0, 6, 11, 0}, {0, 3, 6, 1}, {6, 10, 11, 1}, {6, 8, 10, 2}}));
    EXPECT_EQ(cuts(HalvingTree(all, Cut::border, Leaf::node)),
              (Cuts{{0, 6, 11, 0}, {6, 10, 11, 1}}));
}

TEST(HalvingTree, OneSocketIsNotCut)
{
    const KnownRanks all = all_of(with_sockets({{7}}));
    for (const Cut cut : {Cut::count, Cut::border}) {
        EXPECT_TRUE(HalvingTree(all, cut, Leaf::socket).halvings().empty());
    }
}

TEST(HalvingTree, OneRankOnEachNodeIsCutDownToRanks)
{
    const KnownRanks all = all_of(make_machine({1, 1, 1, 1}));
    for (const Cut cut : {Cut::count, Cut::border}) {
        EXPECT_EQ(cuts(HalvingTree(all, cut, Leaf::socket)),
                  (Cuts{{0, 2, 4, 0}, {0, 1, 2, 1}, {2, 3, 4, 1}}));
    }
}

// On any machine: every pair of ranks is in different halves exactly once, or ends in the same
// part; sizes of halves by count differ by at most one; ranks of a node are contiguous.
TEST(HalvingTree, RandomMachines)
{
    for (int seed = 0; seed < scaled(200) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 40);
        const Machine machine = random_machine(random, ranks);
        std::vector<char> takes_part(static_cast<std::size_t>(ranks), 1);
        for (char &takes : takes_part) {
            takes = chance(random, 0.8) ? 1 : 0;
        }
        const KnownRanks all(machine, takes_part);
        const Cut cut = chance(random, 0.5) ? Cut::count : Cut::border;
        const HalvingTree tree(all, cut, Leaf::node);
        const int taking = static_cast<int>(tree.order().size());
        ASSERT_EQ(taking, std::accumulate(takes_part.begin(), takes_part.end(), 0));
        for (int position = 0; position < taking; ++position) {
            ASSERT_EQ(tree.position(tree.at(position)), position);
            int depth = 0;
            for (const Halving &halving : tree.of(position)) {
                ASSERT_EQ(halving.depth, depth++);
                ASSERT_TRUE(halving.contains(position));
                ASSERT_TRUE(halving.first < halving.middle && halving.middle < halving.end);
                if (cut == Cut::count) {
                    const int lower = halving.size_of(0) - halving.size_of(1);
                    ASSERT_TRUE(lower == 0 || lower == 1);
                } else {
                    ASSERT_NE(machine.place(tree.at(halving.middle)).node,
                              machine.place(tree.at(halving.middle - 1)).node);
                }
            }
            ASSERT_LE(depth, tree.depth());
        }
        for (const Halving &halving : tree.halvings()) {
            for (const int half : {0, 1}) {
                const int coordinator = tree.position(tree.coordinator(halving, half));
                ASSERT_EQ(halving.half_of(coordinator), half);
                ASSERT_TRUE(halving.contains(coordinator));
            }
        }
    }
}

TEST(HalvingTree, RefuseRanksThatTakeNoPart)
{
    const KnownRanks all(make_machine({2, 2}), {1, 0, 1, 1});
    EXPECT_THROW(HalvingTree(all, Cut::count, Leaf::node).position(1), BadMessage);
}

} // namespace
} // namespace nbrhood::test
