// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Blocks in parts and from anywhere: random patterns are proved, run, and counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/flow.h"
#include "plan_fixture.h"
#include "random_patterns.h"

namespace nbrhood::test {
namespace {

const IsLarge kNone = [](const Edge &) { return false; };

TEST(Slices, RandomPatternsAreProved)
{
    for (int seed = 0; seed < scaled(400); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Graph graph = random_graph(random, draw(random, 1, 24));
        for (const BlockKind kind : kKinds) {
            const auto patterns = random_patterns(random, graph, kind, PatternStyle{});
            const auto faults = prove(patterns, graph, kNone);
            ASSERT_TRUE(faults.empty()) << joined(faults);
            for (const Pattern &pattern : patterns) {
                ASSERT_EQ(from_text(to_text(pattern)), pattern);
                ASSERT_NO_THROW(Program{pattern}) << to_text(pattern);
            }
        }
    }
}

TEST(Slices, OnAThousandRanks)
{
    Random random(1);
    const Graph graph = match(sparse_lists(random, 1024, 8));
    for (const BlockKind kind : kKinds) {
        const auto patterns = random_patterns(random, graph, kind, PatternStyle{});
        const auto faults = prove(patterns, graph, kNone);
        ASSERT_TRUE(faults.empty()) << joined(faults);
        const Programs programs(patterns);
        World world(1024, 1, {});
        Exchange exchange(
            graph, programs, kSmall, world, kind, [](const Edge &) { return std::size_t{13}; },
            Sizes::known, 0.2, random);
        exchange.run_once(world);
        EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        EXPECT_EQ(exchange.hanging(), 0);
        EXPECT_TRUE(world.empty());
    }
}

// Takes a byte, a part or a whole slice away from patterns that are right.
TEST(Slices, WhatIsMissingIsNoticed)
{
    for (int seed = 0; seed < scaled(100); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Graph graph = random_graph(random, draw(random, 2, 12));
        auto patterns = random_patterns(random, graph, BlockKind::one_per_edge, PatternStyle{});
        Pattern &pattern = patterns[static_cast<std::size_t>(
            draw(random, 0, static_cast<int>(patterns.size()) - 1))];
        std::vector<Operation *> receives;
        for (Operation &operation : pattern.operations) {
            if (operation.kind == OperationKind::receive
                && operation.carry != Carry::direct_if_large) {
                receives.push_back(&operation);
            }
        }
        if (receives.empty()) {
            continue;
        }
        Operation &receive = *receives[static_cast<std::size_t>(
            draw(random, 0, static_cast<int>(receives.size()) - 1))];
        Slice &slice = receive.slices.back();
        switch (draw(random, 0, 2)) {
        case 0:
            receive.slices.pop_back();
            break;
        case 1:
            slice.of = static_cast<std::uint16_t>(slice.of + 1);
            slice.count = 1;
            break;
        default:
            slice.block += 1;
        }
        EXPECT_FALSE(prove(patterns, graph, kNone).empty());
    }
}

void run(std::uint64_t seed, BlockKind kind, Sizes sizes)
{
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int ranks = draw(random, 1, 14);
    const Graph graph = random_graph(random, ranks);
    const auto patterns = random_patterns(random, graph, kind, PatternStyle{});
    const Programs programs(patterns);
    const bool uniform = sizes == Sizes::known;
    const WireSettings wire = chance(random, 0.3) ? WireSettings{200, 4096, 200, 0} : kSmall;
    const std::size_t bytes = static_cast<std::size_t>(draw(random, 0, 40));
    WorldOptions options;
    options.eager = draw(random, 0, 2) / 2.0;
    World world(ranks, seed, options);
    Exchange exchange(graph, programs, wire, world, kind,
                      uniform ? SizeOf([=](const Edge &) { return bytes; })
                              : mixed_sizes(seed, wire),
                      sizes, draw(random, 0, 2) / 2.0, random);
    for (int round = 0; round < 3; ++round) {
        exchange.run_once(world);
        ASSERT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        ASSERT_EQ(exchange.hanging(), 0);
        ASSERT_TRUE(exchange.guards_intact());
        ASSERT_TRUE(world.empty());
        for (Rank rank = 0; rank < ranks; ++rank) {
            ASSERT_EQ(exchange.error(rank), 0);
        }
    }
}

class SlicesRun : public testing::TestWithParam<std::tuple<BlockKind, Sizes>> {};

TEST_P(SlicesRun, MoveTheRightBytes)
{
    for (int seed = 0; seed < scaled(400); ++seed) {
        ASSERT_NO_FATAL_FAILURE(run(static_cast<std::uint64_t>(seed), std::get<0>(GetParam()),
                                    std::get<1>(GetParam())));
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SlicesRun,
                         testing::Combine(testing::ValuesIn(kKinds),
                                          testing::Values(Sizes::told, Sizes::learnt,
                                                          Sizes::known)));

// Calls of the transport fail: a rank that ends without an error has the right bytes, and no rank
// writes elsewhere.
TEST(Slices, FailuresLeaveNothingWrong)
{
    int failed = 0;
    for (int seed = 0; seed < scaled(600); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 10);
        const Graph graph = random_graph(random, ranks);
        const BlockKind kind = kKinds[seed % 2];
        const Sizes sizes = seed % 3 == 0   ? Sizes::known
                            : seed % 3 == 1 ? Sizes::told
                                            : Sizes::learnt;
        const Programs programs(random_patterns(random, graph, kind, PatternStyle{}));
        WorldOptions options;
        options.fail_rank = draw(random, 0, ranks - 1);
        options.fail_call = draw(random, 0, 12);
        World world(ranks, static_cast<std::uint64_t>(seed), options);
        Exchange exchange(
            graph, programs, kSmall, world, kind, [](const Edge &) { return std::size_t{9}; },
            sizes, 0.5, random);
        exchange.run_once(world);
        EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        EXPECT_TRUE(exchange.guards_intact());
        for (Rank rank = 0; rank < ranks; ++rank) {
            failed += exchange.takes_part(rank) && exchange.error(rank) != 0 ? 1 : 0;
        }
    }
    EXPECT_GT(failed, 0);
}

// The copies of each message in the analysis are those of the engine.
TEST(Slices, CopiesAreThoseThatAreCounted)
{
    constexpr std::size_t kBytes = 25; // so that buffers do not end where the next one begins
    int gathered = 0, scattered = 0, as_they_lie = 0;
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 14);
        const Graph graph = random_graph(random, ranks);
        const BlockKind kind = kKinds[seed % 2];
        PatternStyle style;
        style.direct = 0;
        style.buffer_runs = false; // each block of the tests is in memory of its own
        const auto patterns = random_patterns(random, graph, kind, style);
        const Flow flow(
            patterns, [](Rank, std::uint32_t) { return std::uint64_t{kBytes}; },
            FlowLimits{1000, 1000});
        const Programs programs(patterns);
        World world(ranks, 1, {});
        std::map<std::tuple<Rank, Rank, int>, std::size_t> received; // copies, by message
        std::vector<std::vector<std::size_t>> sent(static_cast<std::size_t>(ranks));
        for (Rank rank = 0; rank < ranks; ++rank) {
            const auto &program = programs.of[static_cast<std::size_t>(rank)];
            if (program == nullptr) {
                continue;
            }
            std::vector<std::unique_ptr<Memory>> memory;
            std::vector<UserBlock> send, receive;
            const auto &own = graph[static_cast<std::size_t>(rank)];
            const auto allocate = [&](std::size_t blocks, std::vector<UserBlock> &to) {
                for (std::size_t i = 0; i < blocks; ++i) {
                    memory.push_back(std::make_unique<Memory>(kBytes, false));
                    to.push_back(memory.back()->block());
                }
            };
            allocate(kind == BlockKind::one_per_rank ? 1 : own.out.size(), send);
            allocate(own.in.size(), receive);
            BlockLayout blocks(*program);
            std::fill(blocks.sizes.begin(), blocks.sizes.end(), kBytes);
            HeaderlessLayout layout;
            layout.bind(*program, Carry::combined, blocks, 1000, world.transport(rank),
                        HeaderlessLayout::Blocks{send, receive});
            for (std::size_t i = 0; i < program->sends().size(); ++i) {
                if (program->sends()[i].carry == Carry::combined) {
                    sent[static_cast<std::size_t>(rank)].push_back(layout.send(i).copies.size());
                }
            }
            for (std::size_t i = 0; i < program->receives().size(); ++i) {
                const Program::Item &item = program->receives()[i];
                if (item.carry == Carry::combined) {
                    received[{item.peer, rank, item.phase}] = layout.receive(i).copies.size();
                }
            }
        }
        for (Rank rank = 0; rank < ranks; ++rank) {
            const auto &own = sent[static_cast<std::size_t>(rank)];
            ASSERT_EQ(flow.first_of(rank + 1) - flow.first_of(rank), own.size());
            for (std::uint32_t i = 0; i < own.size(); ++i) {
                const FlowMessage &message = flow.messages()[flow.first_of(rank) + i];
                ASSERT_EQ(message.gathered, own[i])
                    << "to " << message.destination << " in phase " << int{message.phase} << "\n"
                    << to_text(patterns[static_cast<std::size_t>(rank)]);
                ASSERT_EQ(message.scattered,
                          received.at({rank, message.destination, message.phase}))
                    << to_text(patterns[static_cast<std::size_t>(message.destination)]);
                gathered += message.gathered != 0 ? 1 : 0;
                scattered += message.scattered != 0 ? 1 : 0;
                as_they_lie +=
                    message.blocks > 1 && message.gathered == 0 && message.scattered == 0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(gathered, 0);
    EXPECT_GT(scattered, 0);
    EXPECT_GT(as_they_lie, 0);
}

// A relay sends data from two messages on, with a block of its own, without copying it together.
TEST(Slices, ARunOfStagingIsSentWithoutCopies)
{
    const Pattern pattern = from_text("pattern rank 0 one_per_rank staging 5\n"
                                      "copy direct 0 peer 0 key 0 : s0 t0\n"
                                      "receive combined 0 peer 1 key 0 : t1+3\n"
                                      "receive combined 0 peer 2 key 0 : t4\n"
                                      "send combined 1 peer 3 key 0 : t0+5\n"
                                      "copy direct 0 peer 0 key 0 : t2 r0\n");
    const Program program(pattern);
    World world(4, 1, {});
    Memory own(8, false), slot(8, false);
    const std::vector<UserBlock> send{own.block()}, receive{slot.block()};
    BlockLayout blocks(program);
    std::fill(blocks.sizes.begin(), blocks.sizes.end(), 8);
    HeaderlessLayout layout;
    layout.bind(program, Carry::combined, blocks, 1000, world.transport(0),
                HeaderlessLayout::Blocks{send, receive});
    EXPECT_EQ(layout.first_copies().size(), 1U);
    EXPECT_EQ(layout.receive(0).copies.size(), 0U);
    EXPECT_EQ(layout.receive(1).copies.size(), 0U);
    EXPECT_EQ(layout.send(0).copies.size(), 0U);
    EXPECT_EQ(layout.send(0).bytes, 40U);
    EXPECT_EQ(layout.receive(0).at, layout.send(0).at + 8);
    EXPECT_EQ(layout.receive(1).at, layout.send(0).at + 32);
    EXPECT_EQ(layout.delivery(0).size(), 1U);
}

} // namespace
} // namespace nbrhood::test
