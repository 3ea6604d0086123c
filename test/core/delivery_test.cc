// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Deliveries to ranks that do not know who sends to them: each message once, in order; failures
// end them everywhere.
#include <gtest/gtest.h>

#include <numeric>

#include "analysis/lockstep.h"
#include "delivery_support.h"
#include "pattern/message_words.h"

namespace nbrhood::test {
namespace {

int rounds_among(int groups)
{
    int rounds = 0;
    while ((1 << rounds) < groups) {
        ++rounds;
    }
    return rounds;
}

// One bundle up and one down for each rank but leaders, and one for each leader and round, however
// much is sent.
void expect_costs(const DeliveryWorld &world, const Negotiation &seen)
{
    const int ranks = static_cast<int>(world.participants().size());
    const int groups = world.groups();
    const int rounds = rounds_among(groups);
    EXPECT_EQ(seen.messages.size(),
              static_cast<std::size_t>(2 * (2 * (ranks - groups) + groups * rounds)));
    EXPECT_LE(seen.rounds, 2 * (2 + rounds));
}

DeliveryWorld random_world(Random &random, int ranks)
{
    const std::vector<Rank> participants = random_participants(random, ranks);
    return {random_machine(random, ranks), chance(random, 0.5) ? 1.0 : 2.0, participants,
            random_messages(random, participants)};
}

TEST(Delivery, BringsEachMessageOnceAndInOrder)
{
    int delivered = 0;
    for (int seed = 0; seed < scaled(600); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        DeliveryWorld world = random_world(random, draw(random, 1, seed % 10 == 0 ? 300 : 40));
        world.start();
        expect_costs(world, run_lockstep(world.builders()));
        ASSERT_EQ(world.fault(), "");
        for (const Rank rank : world.participants()) {
            ASSERT_FALSE(world.failed(rank));
            delivered += static_cast<int>(world.received(rank).messages.size());
        }
    }
    EXPECT_GT(delivered, scaled(10000));
}

TEST(Delivery, DoesNotDependOnTheOrderOfSteps)
{
    for (int seed = 0; seed < scaled(200); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 1000);
        DeliveryWorld world = random_world(random, draw(random, 1, 40));
        world.start();
        ASSERT_GE(run_in_random_order(world.builders(), random), 0);
        ASSERT_EQ(world.fault(), "");
    }
}

std::vector<Rank> all_ranks(int ranks)
{
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

TEST(Delivery, ServesThousandsOfRanks)
{
    const int ranks = scaled_ranks(4096);
    std::vector<int> uneven;
    for (int left = ranks, next = 1; left > 0; left -= uneven.back(), next = next * 7 % 61) {
        uneven.push_back(std::min(left, next));
    }
    const std::vector<Machine> machines = {
        make_machine(std::vector<int>(static_cast<std::size_t>(ranks / 32), 32)),
        make_machine(uneven, Placement::by_node), make_machine({ranks}),
        make_machine(std::vector<int>(static_cast<std::size_t>(ranks), 1))};
    Random random(1);
    const std::vector<Rank> all = all_ranks(ranks);
    std::vector<Sent> messages;
    for (const Rank rank : all) {
        for (const Rank to : {rank, 17, (rank * 61 + 5) % ranks, draw(random, 0, ranks - 1)}) {
            messages.push_back({rank, to, {rank, to}});
        }
    }
    for (const Machine &machine : machines) {
        for (const double ranks_per_core : {1.0, 2.0}) {
            if (ranks_per_core > 1 && machine.regions() == ranks) {
                continue; // a group for each rank in any case
            }
            DeliveryWorld world(machine, ranks_per_core, all, messages);
            world.start();
            expect_costs(world, run_lockstep(world.builders()));
            EXPECT_EQ(world.fault(), "");
            EXPECT_GE(world.received(17).messages.size(), static_cast<std::size_t>(ranks));
            for (const Rank rank : all) {
                ASSERT_FALSE(world.failed(rank));
            }
        }
    }
}

// The numbers of delivery.h and docs/adding-an-algorithm.md.
TEST(Delivery, TakesTheBundlesAndRoundsThatAreDocumented)
{
    const auto costs = [](int nodes, double ranks_per_core) {
        DeliveryWorld world(make_machine(std::vector<int>(static_cast<std::size_t>(nodes), 32)),
                            ranks_per_core, all_ranks(32 * nodes), {});
        world.start();
        const Negotiation seen = run_lockstep(world.builders());
        return std::make_pair(seen.messages.size() / 2, seen.rounds / 2);
    };
    EXPECT_EQ(costs(2, 1), std::make_pair(std::size_t{160}, 6));
    EXPECT_EQ(costs(128, 1), std::make_pair(std::size_t{16384}, 12));
    EXPECT_EQ(costs(2, 2), std::make_pair(std::size_t{126}, 3));
    EXPECT_EQ(costs(128, 2), std::make_pair(std::size_t{8832}, 9));
}

// Runs a world in which one rank fails; returns whether it failed, that is, whether it has such a
// superstep.
bool fail_once(DeliveryWorld &world, Rank victim, int step, Random &random)
{
    world.start(victim, step);
    if (chance(random, 0.5)) {
        EXPECT_NO_THROW(run_lockstep(world.builders()));
    } else {
        EXPECT_GE(run_in_random_order(world.builders(), random), 0);
    }
    EXPECT_EQ(world.fault(), "") << "of a rank that believes that nobody failed";
    for (const Rank rank : world.participants()) {
        EXPECT_TRUE(step > 0 || world.failed(rank)) << "rank " << rank << " did not learn of it";
    }
    return world.failed(victim);
}

TEST(Delivery, FailuresInAnySuperstepEndEverywhere)
{
    int partial = 0; // failures that some ranks do not learn of
    for (int seed = 0; seed < scaled(60) && !HasFailure(); ++seed) {
        Random random(static_cast<std::uint64_t>(seed) + 2000);
        DeliveryWorld world = random_world(random, draw(random, 1, 24));
        for (const Rank victim : world.participants()) {
            int step = 0;
            for (; fail_once(world, victim, step, random) && !HasFailure(); ++step) {
                SCOPED_TRACE("seed " + std::to_string(seed) + " rank " + std::to_string(victim)
                             + " step " + std::to_string(step));
                for (const Rank rank : world.participants()) {
                    partial += world.failed(rank) ? 0 : 1;
                }
            }
            EXPECT_GE(step, 1);
        }
    }
    EXPECT_GT(partial, scaled(100));
}

// One rank's end of a delivery, given bundles by hand.
class DeliveryBundles : public testing::Test {
protected:
    static constexpr int kKind = 3;

    // Five nodes of three ranks, a group each, led by 0, 3, 6, 9, 12; rank 14 does not participate.
    Delivery delivery(Rank self)
    {
        own_.rank = self;
        BuildInput input;
        input.neighbourhood = &own_;
        input.known_ranks = &known_ranks_;
        input.ranks = machine_.ranks();
        input.tuning.ranks_per_core = 2;
        return {input, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, kKind};
    }

    // The answer of a rank that has made this many steps to a bundle with these words.
    std::string reply(Rank self, int steps, Rank from, const std::vector<std::int32_t> &words,
                      bool failed = false, int kind = kKind)
    {
        Delivery taker = delivery(self);
        while (steps-- > 0) {
            taker.next(false);
        }
        Message bundle = CheckedMessages(from).write(kind, self, failed, words);
        bundle.peer = from;
        try {
            taker.receive({bundle});
        } catch (const OtherFailed &) {
            return "failed";
        } catch (const BadMessage &) {
            return "refused";
        }
        return "taken";
    }

    Machine machine_ = make_machine({3, 3, 3, 3, 3});
    KnownRanks known_ranks_{machine_, std::vector<char>(15, 1)};
    Neighbourhood own_;
};

TEST_F(DeliveryBundles, OfMembersNameTheirWriterAndParticipants)
{
    EXPECT_EQ(reply(6, 1, 7, {}), "taken");
    EXPECT_EQ(reply(6, 1, 7, {7, 0, 0}), "taken");
    EXPECT_EQ(reply(6, 1, 7, {7, 8, 2, -1, -1, 7, 6, 0}), "taken");
    EXPECT_EQ(reply(6, 1, 7, {8, 0, 0}), "refused") << "in another's name";
    EXPECT_EQ(reply(6, 1, 7, {7, 7, 0}), "refused") << "to itself";
    for (const Rank none : {14, 15, -1, INT32_MAX, INT32_MIN}) {
        EXPECT_EQ(reply(6, 1, 7, {7, none, 0}), "refused");
        EXPECT_EQ(reply(6, 1, 7, {none, 0, 0}), "refused");
    }
}

TEST_F(DeliveryBundles, OfLeadersKeepToTheWay)
{
    // Round 0: from place 1 to place 2.
    EXPECT_EQ(reply(6, 2, 3, {3, 6, 0}), "taken");
    EXPECT_EQ(reply(6, 2, 3, {5, 12, 0}), "taken") << "three places: here, then two further on";
    EXPECT_EQ(reply(6, 2, 3, {3, 9, 0}), "refused") << "two places: not by way of this rank";
    EXPECT_EQ(reply(6, 2, 3, {0, 6, 0}), "refused") << "comes in round 1";
    EXPECT_EQ(reply(6, 2, 3, {3, 1, 0}), "refused") << "four places: round 2 alone";
    EXPECT_EQ(reply(6, 2, 3, {6, 9, 0}), "refused") << "comes back";
    EXPECT_EQ(reply(6, 2, 3, {3, 14, 0}), "refused");
    // Round 1: from place 0.
    EXPECT_EQ(reply(6, 3, 0, {0, 6, 0}), "taken");
    EXPECT_EQ(reply(6, 3, 0, {13, 8, 0}), "taken") << "three places, one of them in round 0";
    EXPECT_EQ(reply(6, 3, 0, {3, 6, 0}), "refused") << "came in round 0";
    // Round 2: from place 3, four places back.
    EXPECT_EQ(reply(6, 4, 9, {11, 6, 0}), "taken");
    EXPECT_EQ(reply(6, 4, 9, {0, 6, 0}), "refused");
    EXPECT_EQ(reply(6, 4, 9, {9, 9, 0}), "refused");
}

TEST_F(DeliveryBundles, ToMembersAreForThem)
{
    EXPECT_EQ(reply(7, 1, 6, {0, 7, 1, 5, 8, 7, 0}), "taken");
    EXPECT_EQ(reply(7, 1, 6, {0, 8, 0}), "refused");
    EXPECT_EQ(reply(7, 1, 6, {7, 7, 0}), "refused");
    EXPECT_EQ(reply(7, 1, 6, {14, 7, 0}), "refused");
}

TEST_F(DeliveryBundles, OfAnotherKindOrCutOrFromAFailedRankAreRefused)
{
    EXPECT_EQ(reply(7, 1, 6, {0, 7, 0}, true), "failed");
    EXPECT_EQ(reply(7, 1, 6, {0, 7, 0}, false, kKind + 1), "refused");
    EXPECT_EQ(reply(7, 1, 6, {0, 7, 1}), "refused");
    EXPECT_EQ(reply(7, 1, 6, {0, 7, -1}), "refused");
    EXPECT_EQ(reply(7, 1, 6, {0, 7}), "refused");
    EXPECT_EQ(reply(7, 1, 6, {0}), "refused");
}

TEST_F(DeliveryBundles, CannotBeSentToOthers)
{
    Delivery sender = delivery(7);
    EXPECT_NO_THROW(sender.send(7, {1}));
    EXPECT_NO_THROW(sender.send(0, {}));
    for (const Rank none : {14, 15, -1}) {
        EXPECT_THROW(sender.send(none, {}), std::invalid_argument);
    }
}

} // namespace
} // namespace nbrhood::test
