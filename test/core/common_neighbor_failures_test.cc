// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builders of common_neighbor that fail in any superstep, or get messages that were changed.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/lockstep.h"
#include "changing_builder.h"
#include "friends_world.h"

namespace nbrhood::test {
namespace {

void fail_everywhere(Random &random)
{
    const int ranks = draw(random, 2, 10);
    FriendsWorld world(friendly_graph(random, ranks), random_machine(random, ranks),
                       chance(random, 0.5));
    const Tuning tuning = random_friends(random);
    for (Rank victim = 0; victim < ranks; ++victim) {
        for (int step = 0; step < 14; ++step) {
            SCOPED_TRACE("rank " + std::to_string(victim) + ", step " + std::to_string(step));
            const auto builders = world.builders(tuning, victim, step);
            if (chance(random, 0.5)) {
                ASSERT_GE(run_in_random_order(builders, random), 0);
            } else {
                ASSERT_NO_THROW(run_lockstep(builders));
            }
            const bool fails =
                builders[static_cast<std::size_t>(victim)]->outcome(0) == Outcome::failed;
            // The victim makes its pattern in the fourth superstep at the earliest.
            ASSERT_TRUE(step > 1 || fails == world.has_edges(static_cast<std::size_t>(victim)));
        }
    }
}

TEST(CommonNeighbor, FailuresInAnySuperstepEndTheProtocol)
{
    for (int seed = 0; seed < scaled(100) && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 40000);
        fail_everywhere(random);
    }
}

// If a rank fails before its pattern is made, no rank uses its own.
TEST(CommonNeighbor, EarlyFailuresReachAllRanks)
{
    Random random(6);
    for (const bool beside : {false, true}) {
        FriendsWorld world(match(dense_lists(random, 12, 0.6)), make_machine({4, 4, 4}), beside);
        for (const bool anywhere : {false, true}) {
            for (Rank victim = 0; victim < 12; ++victim) {
                for (int step = 0; step < 2; ++step) {
                    const auto builders = world.builders(tuned(2, anywhere), victim, step);
                    run_lockstep(builders);
                    for (const auto &builder : builders) {
                        EXPECT_EQ(builder->outcome(0), Outcome::failed);
                    }
                }
            }
        }
    }
}

TEST(CommonNeighbor, ChangedMessagesAreFailures)
{
    int changes = 0;
    for (int seed = 0; seed < scaled(600); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 50000);
        const int ranks = draw(random, 4, 16);
        FriendsWorld world(match(dense_lists(random, ranks, 0.7)), random_machine(random, ranks),
                           chance(random, 0.5));
        const auto inner = world.builders(random_friends(random));
        const auto victim = static_cast<std::size_t>(draw(random, 0, ranks - 1));
        std::vector<std::unique_ptr<Builder>> builders;
        for (std::size_t r = 0; r < inner.size(); ++r) {
            builders.push_back(
                std::make_unique<Changing>(*inner[r], r == victim ? draw(random, 0, 25) : -1));
        }
        ASSERT_NO_THROW(run_lockstep(builders));
        const bool changed = static_cast<const Changing &>(*builders[victim]).changed;
        changes += changed ? 1 : 0;
        ASSERT_EQ(changed, std::any_of(inner.begin(), inner.end(), [](const auto &builder) {
                      return builder->outcome(0) == Outcome::failed;
                  }));
    }
    EXPECT_GT(changes, scaled(100));
}

} // namespace
} // namespace nbrhood::test
