#include <gtest/gtest.h>

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

TEST(Division, RegionsAreDomainsOfNodes)
{
    // Equal numbers of domains on different nodes are different domains.
    const Division division = divide({{0, 1}, {0, 0}, {7, 1}, {0, 1}, {7, 0}, {7, 1}});
    EXPECT_EQ(division.whole_nodes, 0);
    EXPECT_EQ(division.whole, (std::vector<char>(6, 0)));
    EXPECT_EQ(division.machine.regions(), 4);
    EXPECT_EQ(division.machine.members(0), (std::vector<Rank>{0, 3}));
    EXPECT_EQ(division.machine.members(1), (std::vector<Rank>{1}));
    EXPECT_EQ(division.machine.members(2), (std::vector<Rank>{2, 5}));
    EXPECT_EQ(division.machine.members(3), (std::vector<Rank>{4}));
}

TEST(Division, ANodeWithAnUnboundRankIsWhole)
{
    const Division division =
        divide({{3, 0}, {3, 1}, {5, 0}, {5, 1}, {5, kNoDomain}, {8, kNoDomain}});
    EXPECT_EQ(division.whole_nodes, 2);
    EXPECT_EQ(division.whole, (std::vector<char>{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(division.machine.regions(), 4);
    EXPECT_EQ(division.machine.members(2), (std::vector<Rank>{2, 3, 4}));
    EXPECT_EQ(division.machine.members(3), (std::vector<Rank>{5}));
}

TEST(Division, OneDomainEverywhereMeansNodes)
{
    const Division division = divide({{0, 0}, {2, 0}, {0, 0}, {2, 0}});
    EXPECT_EQ(division.machine.regions(), 2);
    EXPECT_TRUE(division.machine.local(1, 3));
    EXPECT_EQ(divide({}).machine.regions(), 0);
}

} // namespace
} // namespace nbrhood::test
