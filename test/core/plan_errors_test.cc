// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans whose ranks do not agree, or whose transport fails: an error code, no hang, no overrun.
#include <gtest/gtest.h>

#include "plan_fixture.h"

namespace nbrhood::test {
namespace {

// Ranks 0 to 2 on one node send to rank 3, alone on another: `blocks` edges from each.
struct Gathering {
    explicit Gathering(int copies = 1)
    {
        Lists lists(4);
        for (Rank source : {0, 1, 2}) {
            for (int i = 0; i < copies; ++i) {
                lists.add(source, 3);
            }
        }
        lists.add(0, 1); // one component
        lists.add(1, 2);
        graph = match(lists);
        Tuning tuning;
        tuning.values.set(kRelaysPerRegion, 1);
        tuning.values.set(kCombineLocal, 0);
        patterns = Construction(graph, make_machine({3, 1}), tuning).run();
    }
    Graph graph;
    std::vector<Pattern> patterns;
};

// The receiver expects `expected` bytes in some slots instead of `sent`.
void unlike_sizes(std::size_t sent, std::size_t expected, int slots, double eager)
{
    const Gathering gathering;
    const Programs programs(gathering.patterns);
    for (int seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE("sent " + std::to_string(sent) + ", expected " + std::to_string(expected)
                     + ", slots " + std::to_string(slots) + ", eager " + std::to_string(eager));
        Random random(static_cast<std::uint64_t>(seed));
        WorldOptions options;
        options.eager = eager;
        World world(4, random(), options);
        Exchange exchange(
            gathering.graph, programs, kSmall, world, BlockKind::one_per_edge,
            [=](const Edge &) { return sent; }, Sizes::told, 0.0, random);
        for (int slot = 0; slot < slots; ++slot) {
            exchange.expect_size(3, static_cast<std::size_t>(slot), expected);
        }
        exchange.run_once(world);
        ASSERT_EQ(exchange.hanging(), 0);
        ASSERT_EQ(exchange.error(3), kTruncated);
        ASSERT_TRUE(exchange.guards_intact());
        ASSERT_EQ(world.misuses(), 0) << "a receive that was never posted is cancelled";
    }
}

TEST(PlanErrors, TooLongCombinedBlocksAreTruncated)
{
    for (int slots : {1, 3}) {
        unlike_sizes(16, 8, slots, 1.0);
        unlike_sizes(16, 0, slots, 0.0);
    }
}

TEST(PlanErrors, ACombinedBlockExpectedOnItsOwnEndsTheCall)
{
    unlike_sizes(8, 17, 1, 1.0);
    unlike_sizes(8, 100, 1, 0.0);
}

TEST(PlanErrors, SeveralCombinedBlocksExpectedOnTheirOwnEndTheCall)
{
    unlike_sizes(8, 17, 2, 1.0);
    unlike_sizes(0, 17, 3, 0.0);
}

TEST(PlanErrors, ABlockOnItsOwnExpectedCombinedEndsTheCallWithEagerSends)
{
    unlike_sizes(17, 8, 1, 1.0);
    unlike_sizes(100, 16, 3, 1.0);
}

// The sender of a block that is not combined waits for its receive.
TEST(PlanErrors, ABlockOnItsOwnExpectedCombinedEndsTheCallWithRendezvous)
{
    unlike_sizes(17, 8, 1, 0.0);
    unlike_sizes(100, 16, 3, 0.0);
}

TEST(PlanErrors, TooLongBlocksOnTheirOwnAreTruncated)
{
    unlike_sizes(200, 100, 1, 1.0);
    unlike_sizes(200, 17, 3, 0.0);
}

// One rank is a call ahead, or has another pattern: every rank that misses data gets an error.
TEST(PlanErrors, AnotherSequenceNumberIsAMismatch)
{
    const Gathering gathering;
    const Programs programs(gathering.patterns);
    Random random(1);
    World world(4, 2, {});
    Exchange exchange(
        gathering.graph, programs, kSmall, world, BlockKind::one_per_edge,
        [](const Edge &) { return std::size_t{8}; }, Sizes::told, 0.0, random);
    std::vector<int> errors(4, -1);
    world.on_finished(
        [&](Rank rank, AnyPlan &, int error) { errors[static_cast<std::size_t>(rank)] = error; });
    for (Rank rank = 0; rank < 4; ++rank) {
        exchange.plan(rank).start(kTagBlocking, rank == 3 ? 6 : 5);
    }
    while (world.advance()) {}
    EXPECT_EQ(errors, (std::vector<int>{0, 0, 0, kMismatch}));
    EXPECT_TRUE(exchange.guards_intact());
}

TEST(PlanErrors, AnotherPatternIsAMismatchThatRelaysPassOn)
{
    const Gathering gathering;
    Programs programs(gathering.patterns);
    Random random(1);
    World world(4, 2, {});
    const auto size = [](const Edge &) { return std::size_t{8}; };
    Exchange exchange(gathering.graph, programs, kSmall, world, BlockKind::one_per_edge, size,
                      Sizes::told, 0.0, random);
    programs.hash += 1;
    Exchange other(gathering.graph, programs, kSmall, world, BlockKind::one_per_edge, size,
                   Sizes::told, 0.0, random);
    std::vector<int> errors(4, -1);
    world.on_finished(
        [&](Rank rank, AnyPlan &, int error) { errors[static_cast<std::size_t>(rank)] = error; });
    // A rank that is not the relay of its node has the other hash.
    Rank gatherer = kNoRank;
    for (const Pattern &pattern : gathering.patterns) {
        for (const Operation &operation : pattern.operations) {
            gatherer = operation.phase == kGather && operation.kind == OperationKind::send
                           ? pattern.rank
                           : gatherer;
        }
    }
    ASSERT_NE(gatherer, kNoRank);
    for (Rank rank = 0; rank < 4; ++rank) {
        (rank == gatherer ? other : exchange).plan(rank).start(kTagBlocking, 0);
    }
    while (world.advance()) {}
    EXPECT_EQ(errors[static_cast<std::size_t>(gatherer)], 0);
    EXPECT_EQ(errors[3], kMismatch) << "the relay hands the error on";
}

// Each call to the transport of each rank fails in turn. The rank itself ends with the error, and
// ranks that miss its messages are at worst left waiting for them.
void fail_every_call(bool learns, int copies, std::size_t bytes)
{
    const Gathering gathering(copies);
    const Programs programs(gathering.patterns);
    for (Rank victim = 0; victim < 4; ++victim) {
        for (int call = 0;; ++call) {
            SCOPED_TRACE("rank " + std::to_string(victim) + ", call " + std::to_string(call));
            Random random(static_cast<std::uint64_t>(call));
            WorldOptions options;
            options.eager = 1.0;
            options.fail_rank = victim;
            options.fail_call = call;
            World world(4, random(), options);
            Exchange exchange(
                gathering.graph, programs, kSmall, world, BlockKind::one_per_edge,
                [=](const Edge &) { return bytes; }, learns ? Sizes::learnt : Sizes::told, 0.0,
                random);
            exchange.run_once(world);
            ASSERT_TRUE(exchange.guards_intact());
            ASSERT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
            ASSERT_FALSE(exchange.active(victim));
            if (world.calls(victim) <= call) {
                ASSERT_EQ(exchange.hanging(), 0);
                ASSERT_EQ(exchange.error(victim), 0);
                break;
            }
            ASSERT_EQ(exchange.error(victim), kInjected);
        }
    }
}

TEST(PlanErrors, AFailingTransportEndsTheOperationWithItsError)
{
    for (bool learns : {false, true}) {
        fail_every_call(learns, 1, 8);
        fail_every_call(learns, 8, 16); // messages with a rest
        fail_every_call(learns, 2, 100);
    }
}

// If a send fails before the relay has all data, the relay's message reports the error and has no
// data. Its receiver must accept this message, however much data it expected.
TEST(PlanErrors, ARelayThatFailsLeavesNoMessageBehind)
{
    constexpr int kCopies = 8; // 16 bytes each: the relay's message is longer than E
    const Gathering gathering(kCopies);
    const Programs programs(gathering.patterns);
    Rank relay = kNoRank;
    for (const Pattern &pattern : gathering.patterns) {
        for (const Operation &operation : pattern.operations) {
            relay = operation.phase == kInter && operation.kind == OperationKind::send
                        ? pattern.rank
                        : relay;
        }
    }
    ASSERT_NE(relay, kNoRank);
    for (double eager : {1.0, 0.0}) {
        SCOPED_TRACE("eager " + std::to_string(eager));
        Random random(1);
        WorldOptions options;
        options.eager = eager;
        options.fail_rank = relay;
        options.fail_call = 0; // its first receive
        World world(4, 3, options);
        Exchange exchange(
            gathering.graph, programs, kSmall, world, BlockKind::one_per_edge,
            [](const Edge &) { return std::size_t{16}; }, Sizes::told, 0.0, random);
        exchange.run_once(world);
        EXPECT_FALSE(exchange.active(relay)) << "the relay waits for its own rest to be received";
        EXPECT_EQ(exchange.error(relay), kInjected);
        EXPECT_EQ(exchange.error(3), kInjected);
        EXPECT_FALSE(exchange.active(3));
    }
}

// From the second start on no header can report that a relay failed. No rank may take leftovers of
// the first start for data of the second.
TEST(PlanErrors, ALaterFailureOfARelayIsNoticed)
{
    const Gathering gathering;
    const Programs programs(gathering.patterns);
    for (Rank victim = 0; victim < 3; ++victim) {
        int calls = 0; // of the first start
        for (int call = -1; call < 6; ++call) {
            SCOPED_TRACE("rank " + std::to_string(victim) + ", call " + std::to_string(call));
            Random random(1);
            WorldOptions options;
            options.eager = 1.0;
            options.fail_rank = victim;
            options.fail_call = call < 0 ? -1 : calls + call;
            World world(4, 3, options);
            Exchange exchange(
                gathering.graph, programs, kSmall, world, BlockKind::one_per_edge,
                [](const Edge &) { return std::size_t{16}; }, Sizes::learnt, 0.0, random);
            exchange.run_once(world);
            ASSERT_EQ(exchange.hanging(), 0);
            calls = world.calls(victim);
            exchange.run_once(world);
            EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
            EXPECT_FALSE(exchange.active(victim));
        }
    }
}

// A rank that met an error in its first start does not know the layout; its peers know it, and
// leave out empty messages.
TEST(PlanErrors, AFailedFirstStartDoesNotMakeTheSecondHang)
{
    Lists lists(3);
    lists.add(0, 2);
    lists.add(1, 2);
    const Graph graph = match(lists);
    const Programs programs(Construction(graph, make_machine({1, 1, 1}), Tuning{}).run());
    Random random(1);
    WorldOptions options;
    options.eager = 1.0;
    World world(3, 1, options);
    Exchange exchange(
        graph, programs, kSmall, world, BlockKind::one_per_edge,
        [](const Edge &edge) { return edge.source == 0 ? std::size_t{8} : 0; }, Sizes::learnt, 0.0,
        random);
    exchange.expect_size(2, 0, 4);
    for (int start = 0; start < 2; ++start) {
        exchange.run_once(world);
        ASSERT_EQ(exchange.hanging(), 0) << "in start " << start;
        EXPECT_NE(exchange.error(2), 0);
    }
}

} // namespace
} // namespace nbrhood::test
