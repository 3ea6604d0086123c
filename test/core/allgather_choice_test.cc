// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The choice of an algorithm for an allgather, and the processes that need no agreement.
#include <gtest/gtest.h>

#include <string>

#include "allgather/agreements.h"
#include "allgather/choice.h"
#include "allgather/registry.h"
#include "capi/nbrhood_allgather.h"

namespace nbrhood::test {
namespace {

AllgatherShape shape_of(const std::vector<int> &nodes, bool shares_cores)
{
    return AllgatherShape(make_machine(nodes), Nesting::regions, shares_cores);
}

std::string chosen(const AllgatherShape &shape, std::size_t bytes, int choice = kAllgatherAuto)
{
    const int row = allgather_row(choice, shape, bytes, 65536, 1 << 24);
    return row < 0 ? "default" : allgather_choice_name(row + kAllgatherFirstRow);
}

TEST(AllgatherChoice, OfAutoDependsOnCoresAndSizes)
{
    const AllgatherShape own = shape_of({8, 8}, false);
    const AllgatherShape shared = shape_of({8, 8}, true);
    EXPECT_EQ(chosen(own, 8), "locality_bruck");
    EXPECT_EQ(chosen(own, 65536), "locality_bruck");
    EXPECT_EQ(chosen(own, 65537), "default");
    EXPECT_EQ(chosen(shared, 8), "hierarchical");
    EXPECT_EQ(chosen(shared, 4096), "hierarchical"); // a result of 64 KiB
    EXPECT_EQ(chosen(shared, 4097), "locality_bruck");
    EXPECT_EQ(chosen(shared, 65537), "default");
    EXPECT_EQ(chosen(shape_of(std::vector<int>(64, 8), false), 40000), "default"); // of 20 MB
}

TEST(AllgatherChoice, TheGlueHasRoomForAllRows)
{
    EXPECT_LE(allgather_algorithms().size(), std::size_t{NBRHOOD_MOST_ALLGATHER_ROWS});
}

TEST(AllgatherChoice, LeavesOneRegionAndSingleRanksToOpenMpi)
{
    EXPECT_EQ(chosen(shape_of({8}, false), 8), "default");
    EXPECT_EQ(chosen(shape_of({1}, false), 8), "default");
    EXPECT_EQ(chosen(shape_of({1, 1, 1}, false), 8), "default");
    EXPECT_EQ(chosen(shape_of({2, 1, 1}, false), 8), "locality_bruck");
    EXPECT_EQ(chosen(shape_of({8, 8}, false), 0), "default");
}

TEST(AllgatherChoice, OfTheUserHoldsForAllSizes)
{
    const AllgatherShape shape = shape_of({4, 4}, false);
    for (int choice = kAllgatherFirstRow; allgather_choice_name(choice) != nullptr; ++choice) {
        EXPECT_EQ(chosen(shape, 8, choice), allgather_choice_name(choice));
        EXPECT_EQ(chosen(shape, 1 << 20, choice), allgather_choice_name(choice));
        EXPECT_EQ(chosen(shape_of({8}, false), 8, choice), "default"); // one region
    }
    EXPECT_EQ(chosen(shape, 8, kAllgatherDefault), "default");
    EXPECT_EQ(allgather_choice_name(-1), nullptr);
}

std::vector<AllgatherMember> members_on(const std::vector<int> &nodes, bool threads = false)
{
    std::vector<AllgatherMember> members;
    for (const int node : nodes) {
        AllgatherMember member;
        member.node = node;
        member.threads = threads ? 1 : 0;
        members.push_back(member);
    }
    return members;
}

TEST(Agreements, HoldForGroupsInside)
{
    Agreements agreements;
    std::vector<AllgatherMember> found;
    EXPECT_FALSE(agreements.find({1, 2}, found));
    agreements.add({9, 4, 7}, members_on({90, 40, 70}));
    ASSERT_TRUE(agreements.find({7, 9}, found)); // in the order asked for
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].node, 70);
    EXPECT_EQ(found[1].node, 90);
    EXPECT_FALSE(agreements.find({7, 8}, found));
}

TEST(Agreements, OfTwoGroupsDoNotHoldForRanksOfBoth)
{
    // Another rank of {1, 3} may have taken part in only one of the two.
    Agreements agreements;
    std::vector<AllgatherMember> found;
    agreements.add({1, 2}, members_on({10, 20}));
    agreements.add({2, 3}, members_on({20, 30}));
    EXPECT_FALSE(agreements.find({1, 3}, found));
    EXPECT_TRUE(agreements.find({3, 2}, found));
    agreements.add({1, 2, 3}, members_on({10, 20, 30}));
    EXPECT_TRUE(agreements.find({1, 3}, found));
    EXPECT_EQ(agreements.groups(), 1U); // that holds the others
}

TEST(Agreements, WithThreadsHoldForNobodyElse)
{
    Agreements agreements;
    std::vector<AllgatherMember> found;
    agreements.add({1, 2}, members_on({10, 20}, true));
    EXPECT_FALSE(agreements.find({1, 2}, found));
    EXPECT_EQ(agreements.groups(), 0U);
}

} // namespace
} // namespace nbrhood::test
