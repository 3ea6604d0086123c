// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace nbrhood::test {
namespace {

TEST(Machine, NumbersRegionsByTheirLowestRanks)
{
    const Machine machine({42, 7, 42, -3, 7, 42});
    EXPECT_EQ(machine.ranks(), 6);
    EXPECT_EQ(machine.regions(), 3);
    EXPECT_EQ(machine.members(0), (std::vector<Rank>{0, 2, 5}));
    EXPECT_EQ(machine.members(1), (std::vector<Rank>{1, 4}));
    EXPECT_EQ(machine.members(2), (std::vector<Rank>{3}));
    EXPECT_TRUE(machine.local(0, 5));
    EXPECT_FALSE(machine.local(0, 1));
    EXPECT_EQ(Machine().ranks(), 0);
}

TEST(Machine, IsFilledBySlotOrDealtOutByNode)
{
    const Machine by_slot = make_machine({3, 1, 2});
    EXPECT_EQ(by_slot.members(0), (std::vector<Rank>{0, 1, 2}));
    EXPECT_EQ(by_slot.members(1), (std::vector<Rank>{3}));
    EXPECT_EQ(by_slot.members(2), (std::vector<Rank>{4, 5}));
    const Machine by_node = make_machine({3, 1, 2}, Placement::by_node);
    EXPECT_EQ(by_node.members(0), (std::vector<Rank>{0, 3, 5}));
    EXPECT_EQ(by_node.members(1), (std::vector<Rank>{1}));
    EXPECT_EQ(by_node.members(2), (std::vector<Rank>{2, 4}));
}

TEST(Machine, MembersPartitionTheRanks)
{
    for (int seed = 0; seed < scaled(200); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 64);
        const Machine machine = random_machine(random, ranks);
        ASSERT_EQ(machine.ranks(), ranks);
        Rank lowest = -1;
        int members = 0;
        for (Region region = 0; region < machine.regions(); ++region) {
            ASSERT_LT(lowest, machine.members(region).front());
            lowest = machine.members(region).front();
            for (Rank rank : machine.members(region)) {
                ASSERT_EQ(machine.region_of(rank), region);
                ++members;
            }
        }
        ASSERT_EQ(members, ranks);
    }
}

Place in_socket(std::int32_t node, std::int16_t socket)
{
    return Place{node, {socket}};
}

TEST(MachineLevels, RegionsAreDomainsOfNodes)
{
    // Equal numbers of domains on different nodes are different domains.
    const Machine machine({in_socket(0, 2), in_socket(0, 1), in_socket(7, 2), in_socket(0, 2),
                           in_socket(7, 1), in_socket(7, 2)},
                          Level::socket);
    EXPECT_EQ(machine.level(), Level::socket);
    EXPECT_EQ(machine.whole_nodes(), 0);
    EXPECT_FALSE(machine.in_whole_node(0));
    EXPECT_EQ(machine.regions(), 4);
    EXPECT_EQ(machine.members(0), (std::vector<Rank>{0, 3}));
    EXPECT_EQ(machine.members(1), (std::vector<Rank>{1}));
    EXPECT_EQ(machine.members(2), (std::vector<Rank>{2, 5}));
    EXPECT_EQ(machine.members(3), (std::vector<Rank>{4}));
    EXPECT_EQ(machine.at(Level::node).regions(), 2);
    EXPECT_EQ(machine.at(Level::numa).regions(), 2) << "there is no such level";
    EXPECT_EQ(machine.at(Level::numa).whole_nodes(), 0);
}

TEST(MachineLevels, ANodeWithAnUnboundRankIsWhole)
{
    const Machine machine({in_socket(3, 1), in_socket(3, 2), in_socket(5, 1), in_socket(5, 2),
                           in_socket(5, kNoDomain), in_socket(8, kNoDomain)},
                          Level::socket);
    EXPECT_EQ(machine.whole_nodes(), 2);
    EXPECT_FALSE(machine.in_whole_node(0));
    EXPECT_TRUE(machine.in_whole_node(2));
    EXPECT_EQ(machine.regions(), 4);
    EXPECT_EQ(machine.members(2), (std::vector<Rank>{2, 3, 4}));
    EXPECT_EQ(machine.members(3), (std::vector<Rank>{5}));
    EXPECT_EQ(machine.at(Level::node).whole_nodes(), 0);
    EXPECT_EQ(Machine(std::vector<Place>(), Level::die).regions(), 0);
}

TEST(MachineLevels, TheNearestCommonLevelIsTheInnermost)
{
    const Machine machine({Place{4, {1, 1, 1, 1, 1}}, Place{4, {1, 1, 1, 1, 1}},
                           Place{4, {1, 1, 1, 1, 2}}, Place{4, {1, 1, 2, 2, 3}},
                           Place{4, {1, 2, 3, 3, 5}}, Place{4, {2, 3, 4, 5, 9}},
                           Place{9, {1, 1, 1, 1, 1}}, Place{7, {1}}, Place{7, {1}}, Place{7, {}},
                           Place{7, {}}, Place{7, {kNoDomain}}, Place{7, {kNoDomain}},
                           Place{4, {1, 1, 1, 2, 4}}, Place{4, {1, 2, 1, 6, 7}}});
    EXPECT_EQ(machine.nearest_common_level(0, 1), Level::die);
    EXPECT_EQ(machine.nearest_common_level(0, 2), Level::gpu);
    EXPECT_EQ(machine.nearest_common_level(0, 3), Level::numa);
    EXPECT_EQ(machine.nearest_common_level(0, 13), Level::l3);
    EXPECT_EQ(machine.nearest_common_level(0, 14), Level::l3) << "with several NUMA domains";
    EXPECT_EQ(machine.nearest_common_level(0, 4), Level::socket);
    EXPECT_EQ(machine.nearest_common_level(0, 5), Level::node);
    EXPECT_EQ(machine.nearest_common_level(0, 6), std::nullopt);
    EXPECT_EQ(machine.nearest_common_level(7, 8), Level::socket) << "nothing is known further in";
    EXPECT_EQ(machine.nearest_common_level(9, 10), Level::node) << "a level that is not there";
    EXPECT_EQ(machine.nearest_common_level(11, 12), Level::node) << "two that are not bound";
}

TEST(MachineLevels, LinksAreThoseOfTheNearestCommonLevel)
{
    const Machine machine({Place{4, {1, 1, 1, 1, 1}}, Place{4, {1, 1, 1, 1, 1}},
                           Place{4, {1, 1, 1, 1, 2}}, Place{4, {1, 1, 1, 2, 3}},
                           Place{4, {1, 1, 2, 3, 5}}, Place{4, {1, 2, 3, 4, 7}},
                           Place{4, {2, 3, 4, 5, 9}}, Place{9, {1, 1, 1, 1, 1}}},
                          Level::socket);
    const std::array<Link, 7> links{Link::die_pair, Link::die_pair, Link::socket, Link::socket,
                                    Link::socket,   Link::node,     Link::network};
    for (Rank other = 1; other < machine.ranks(); ++other) {
        EXPECT_EQ(machine.link(0, other), links[static_cast<std::size_t>(other) - 1]) << other;
    }
    EXPECT_EQ(machine.link_of_regions(0, 1), Link::node);
    EXPECT_EQ(machine.link_of_regions(0, 2), Link::network);
    EXPECT_EQ(machine.link_within_regions(), Link::socket);
    EXPECT_EQ(machine.at(Level::l3).link_within_regions(), Link::socket);
    EXPECT_EQ(machine.at(Level::die).link_within_regions(), Link::die_pair);
    EXPECT_EQ(machine.at(Level::node).link_within_regions(), Link::node);
    EXPECT_EQ(Machine({Place{0, {1}}, Place{0, {kNoDomain}}}, Level::socket).link_within_regions(),
              Link::node)
        << "the node is one region";
    EXPECT_EQ(Machine({Place{0, {1}}}, Level::die).link_within_regions(), Link::node);
    EXPECT_EQ(machine.regions_of_node(), 2);
    EXPECT_EQ(machine.at(Level::node).regions_of_node(), 1);
    EXPECT_EQ(Machine().regions_of_node(), 0);
    EXPECT_STREQ(link_name(0), "die_pair");
    EXPECT_EQ(link_name(kLinks), nullptr);
}

// A machine of nodes, sockets, NUMA domains, L3 caches, GPUs and dies in different numbers, with
// its ranks in any order; some levels are missing, and some ranks are not bound.
std::vector<Place> uneven_places(Random &random, int ranks)
{
    std::vector<Place> places;
    std::array<bool, kLevels - 1> there{};
    for (bool &level : there) {
        level = chance(random, 0.8);
    }
    std::vector<std::int32_t> names; // of nodes
    for (std::int32_t node = 0; static_cast<int>(places.size()) < ranks; ++node) {
        std::array<std::int16_t, kLevels - 1> numbers{};
        const bool unbound = chance(random, 0.1);
        for (int outer = draw(random, 1, 4); outer > 0; --outer) { // domains of the first level
            for (std::size_t level = 0; level < numbers.size(); ++level) {
                numbers[level] = static_cast<std::int16_t>(numbers[level] + 1);
            }
            for (int more = draw(random, 1, 12); more > 0; --more) {
                const auto from = static_cast<std::size_t>(draw(random, 0, kLevels - 1));
                for (std::size_t level = std::max<std::size_t>(1, from); level < numbers.size();
                     ++level) { // a new domain on this level and all within it
                    numbers[level] = static_cast<std::int16_t>(numbers[level] + 1);
                }
                places.push_back(Place{1000 - 7 * node, {}});
                for (std::size_t level = 0; level < numbers.size(); ++level) {
                    if (there[level]) {
                        places.back().domains[level] =
                            unbound && chance(random, 0.2) ? kNoDomain : numbers[level];
                    }
                }
            }
        }
    }
    places.resize(static_cast<std::size_t>(ranks));
    std::shuffle(places.begin(), places.end(), random);
    return places;
}

// The regions of every level partition the ranks. A region of an inner level lies in one region of
// an outer level, unless a node is one region, and in locality order each region is one run.
void expect_hierarchy(const std::vector<Place> &places)
{
    const Machine machine(places);
    const std::vector<Rank> order = machine.in_locality_order();
    std::vector<Rank> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t r = 0; r < sorted.size(); ++r) {
        ASSERT_EQ(sorted[r], static_cast<Rank>(r)) << "each rank once";
    }
    for (int l = 0; l < kLevels; ++l) {
        const auto level = static_cast<Level>(l);
        const Machine view = machine.at(level);
        std::vector<char> left(static_cast<std::size_t>(view.regions()), 0);
        Region current = -1;
        for (const Rank rank : order) {
            const Region region = view.region_of(rank);
            if (region != current) {
                ASSERT_EQ(left[static_cast<std::size_t>(region)]++, 0)
                    << "a region of level " << level_name(l) << " is in two parts";
                current = region;
            }
            ASSERT_EQ(machine.region_of(rank), machine.region_of(view.members(region).front()))
                << "one node";
            const auto &own = places[static_cast<std::size_t>(rank)];
            const auto &first = places[static_cast<std::size_t>(view.members(region).front())];
            ASSERT_TRUE(level == Level::node || view.in_whole_node(rank)
                        || own.domain(level) == first.domain(level));
        }
    }
}

TEST(MachineLevels, RegionsNestAndAreRunsInLocalityOrder)
{
    for (int seed = 0; seed < scaled(200) && !testing::Test::HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        expect_hierarchy(uneven_places(random, draw(random, 1, 300)));
    }
    Random random(7);
    expect_hierarchy(uneven_places(random, 5000));
    expect_hierarchy(uneven_places(random, 20000));
}

// Compares with the definition, for all pairs of ranks.
TEST(MachineLevels, TheNearestCommonLevelAgreesWithTheRegions)
{
    for (int seed = 0; seed < scaled(30) && !testing::Test::HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const std::vector<Place> places = uneven_places(random, draw(random, 2, 60));
        const Machine machine(places);
        for (Rank a = 0; a < machine.ranks(); ++a) {
            for (Rank b = 0; b < machine.ranks(); ++b) {
                const std::optional<Level> nearest = machine.nearest_common_level(a, b);
                ASSERT_EQ(nearest, machine.nearest_common_level(b, a));
                ASSERT_EQ(nearest.has_value(), machine.local(a, b));
                for (int l = 1; l < kLevels && nearest; ++l) {
                    const auto level = static_cast<Level>(l);
                    const std::int16_t own = places[static_cast<std::size_t>(a)].domain(level);
                    const std::int16_t other = places[static_cast<std::size_t>(b)].domain(level);
                    ASSERT_TRUE(own != other || own <= 0 || *nearest >= level);
                    ASSERT_TRUE(*nearest != level || (own == other && own > 0));
                }
            }
        }
    }
}

} // namespace
} // namespace nbrhood::test
