// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans of all ranks exchange real bytes through queues with random timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "plan_fixture.h"

namespace nbrhood::test {
namespace {

// The thresholds are so small that blocks above T, unpacked blocks and messages with a rest all
// occur.
WireSettings small_wire()
{
    return WireSettings{24, 64, 16, 0};
}

WorldOptions random_timing(Random &random)
{
    static constexpr double kChances[] = {0.0, 0.5, 1.0};
    WorldOptions options;
    options.eager = kChances[draw(random, 0, 2)];
    options.at_once = kChances[draw(random, 0, 2)];
    return options;
}

void expect_clean(const Exchange &exchange, const World &world, const Graph &graph)
{
    EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
    EXPECT_TRUE(exchange.guards_intact());
    EXPECT_TRUE(world.empty()) << "messages or receives are left";
    EXPECT_EQ(world.misuses(), 0);
    for (const Neighbourhood &own : graph) {
        EXPECT_EQ(exchange.error(own.rank), 0) << "rank " << own.rank;
        EXPECT_FALSE(exchange.active(own.rank)) << "rank " << own.rank << " hangs";
    }
}

// Every rank performs `rounds` operations one after the other with the same tags. Ranks run ahead
// of each other as far as their messages let them.
void run_rounds(Exchange &exchange, World &world, const Graph &graph, std::uint32_t rounds,
                Random &random, double eagerness)
{
    const auto startable = [&](Rank rank) {
        return exchange.takes_part(rank) && !exchange.active(rank)
               && exchange.started(rank) < rounds;
    };
    world.on_finished([&](Rank rank, AnyPlan &, int error) { exchange.finished(rank, error); });
    for (bool progress = true; progress;) {
        progress = false;
        const int first = draw(random, 0, static_cast<int>(graph.size()) - 1);
        if (chance(random, eagerness)) {
            for (std::size_t i = 0; i < graph.size() && !progress; ++i) {
                const auto rank =
                    static_cast<Rank>((static_cast<std::size_t>(first) + i) % graph.size());
                if (startable(rank)) {
                    exchange.start(rank, kTagBlocking);
                    progress = true;
                }
            }
        }
        progress = world.advance() || progress;
        for (const Neighbourhood &own : graph) {
            progress = progress || startable(own.rank);
        }
    }
    for (const Neighbourhood &own : graph) {
        if (exchange.takes_part(own.rank)) {
            EXPECT_EQ(exchange.started(own.rank), rounds) << "rank " << own.rank;
        }
    }
    expect_clean(exchange, world, graph);
}

void run_random_case(std::uint64_t seed, bool aggregated, BlockKind kind, Sizes mode)
{
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int ranks = draw(random, 1, 16);
    const Graph graph = random_graph(random, ranks);
    const Machine machine = random_machine(random, ranks);
    const Programs programs(aggregated ? Construction(graph, machine, random_tuning(random), kind,
                                                      seed % 3 == 0 ? kTwoStep : kThreeStep)
                                             .run()
                                       : direct_patterns(graph, kind));
    World world(ranks, random(), random_timing(random));
    Exchange exchange(graph, programs, small_wire(), world, kind,
                      mixed_sizes(random(), small_wire()), mode, draw(random, 0, 2) / 2.0, random);
    run_rounds(exchange, world, graph, mode == Sizes::learnt ? 3 : 2, random, 0.3);
}

TEST(Plan, AggregatedWithHeadersDeliversAllBlocks)
{
    for (int seed = 0; seed < scaled(6000) && !testing::Test::HasFailure(); ++seed) {
        run_random_case(static_cast<std::uint64_t>(seed), true, kKinds[seed % 2], Sizes::told);
    }
}

TEST(Plan, AggregatedAndLearntDeliversAllBlocks)
{
    for (int seed = 0; seed < scaled(6000) && !testing::Test::HasFailure(); ++seed) {
        run_random_case(static_cast<std::uint64_t>(seed) + 10000, true, kKinds[seed % 2],
                        Sizes::learnt);
    }
}

TEST(Plan, DirectDeliversAllBlocks)
{
    for (int seed = 0; seed < scaled(1000) && !testing::Test::HasFailure(); ++seed) {
        for (Sizes mode : {Sizes::told, Sizes::learnt}) {
            run_random_case(static_cast<std::uint64_t>(seed) + 20000, false,
                            BlockKind::one_per_edge, mode);
            run_random_case(static_cast<std::uint64_t>(seed) + 20000, false,
                            BlockKind::one_per_rank, mode);
        }
    }
}

// Messages of up to E bytes behind the sizes; the rest follows.
TEST(Plan, MessagesAreBoundedByThePrepostedSize)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, 12, 0.9));
    Construction built(graph, make_machine({6, 6}), Tuning{});
    const Programs programs(built.run());
    World world(12, 2, {});
    Exchange exchange(
        graph, programs, small_wire(), world, BlockKind::one_per_edge,
        [](const Edge &) { return std::size_t{16}; }, Sizes::told, 0.5, random);
    run_rounds(exchange, world, graph, 1, random, 1.0);
    const std::size_t most_blocks = 36; // a message between the nodes
    EXPECT_LE(world.largest_message(),
              std::max(sizeof(Header) + 8 * most_blocks + 64, 16 * most_blocks));
}

// Blocking calls in a row: a fast rank starts call n + 1 while others are in call n.
TEST(Plan, RanksMayRunAheadThroughManyCalls)
{
    for (int seed = 0; seed < scaled(12); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Graph graph =
            seed % 2 == 0 ? match(dense_lists(random, 9, 0.4)) : random_graph(random, 9);
        const bool learns = seed % 4 > 1;
        const Programs programs(Construction(graph, make_machine({3, 3, 3}), Tuning{}).run());
        WorldOptions options;
        options.eager = 1.0;
        World world(9, random(), options);
        Exchange exchange(graph, programs, small_wire(), world, BlockKind::one_per_edge,
                          mixed_sizes(random(), small_wire()), learns ? Sizes::learnt : Sizes::told,
                          0.3, random);
        run_rounds(exchange, world, graph, 40, random, 0.9);
    }
}

// Operations with tags of their own overlap in any way and start in another order on each rank.
TEST(Plan, ManyOperationsOfOneProgramMayBeInFlight)
{
    constexpr int kOperations = 8;
    for (int seed = 0; seed < scaled(200); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 10);
        const Graph graph = random_graph(random, ranks);
        const Programs programs(
            Construction(graph, random_machine(random, ranks), random_tuning(random)).run());
        World world(ranks, random(), random_timing(random));
        std::vector<std::unique_ptr<Exchange>> exchanges;
        std::vector<std::pair<int, Rank>> starts;
        for (int k = 0; k < kOperations; ++k) {
            exchanges.push_back(std::make_unique<Exchange>(
                graph, programs, small_wire(), world, BlockKind::one_per_edge,
                mixed_sizes(random(), small_wire()), k % 2 == 0 ? Sizes::learnt : Sizes::told, 0.3,
                random));
            for (const Neighbourhood &own : graph) {
                if (exchanges.back()->takes_part(own.rank)) {
                    starts.emplace_back(k, own.rank);
                }
            }
        }
        world.on_finished([&](Rank rank, AnyPlan &plan, int error) {
            for (auto &exchange : exchanges) {
                if (exchange->owns(rank, plan)) {
                    exchange->finished(rank, error);
                }
            }
        });
        for (int start = 0; start < 3; ++start) {
            std::shuffle(starts.begin(), starts.end(), random);
            for (const auto &[k, rank] : starts) {
                exchanges[static_cast<std::size_t>(k)]->start(rank, kTagNonblocking
                                                                        + k * kTagsPerOperation);
                while (chance(random, 0.5) && world.advance()) {}
            }
            while (world.advance()) {}
            for (auto &exchange : exchanges) {
                expect_clean(*exchange, world, graph);
            }
        }
    }
}

TEST(Plan, ProgramsThatCannotRunAreRejected)
{
    const std::string head = "pattern rank 0 one_per_edge staging 2\n";
    const std::string staged = "receive combined 1 peer 1 key 0 : t0\n";
    const std::pair<const char *, std::string> cases[] = {
        {"an operation waits for a place that no operation fills",
         "send combined 1 peer 1 key 0 : t0"},
        {"an operation waits for a place that no operation fills",
         "receive combined 1 peer 1 key 0 : t0/0-1/2\nsend combined 1 peer 1 key 0 : t0"},
        {"an operation waits for a place that no operation fills",
         "send direct 1 peer 1 key 0 : r0"},
        {"an operation waits for a place that no operation fills",
         staged + "copy direct 3 peer -1 key 0 : t1 r0"},
        {"a slice of staging that the pattern does not have", "send combined 1 peer 1 key 0 : t5"},
        {"a slice of staging that the pattern does not have",
         "receive combined 1 peer 1 key 0 : t1+2"},
        {"two operations fill one place", staged + "receive combined 1 peer 2 key 0 : t0"},
        {"two operations fill one place",
         "receive direct 1 peer 1 key 0 : r0/0-2/3\nreceive direct 1 peer 2 key 0 : r0/1-2/2"},
        {"two operations fill one place", "receive direct_if_large 1 peer 1 key 0 : r0\n"
                                          "receive direct_if_large 1 peer 2 key 0 : r0"},
        {"two operations fill one place",
         staged + "copy direct 3 peer -1 key 0 : t0 r0\nreceive direct 0 peer 1 key 0 : r0"},
        {"a message passes on a block that came in a message of another kind",
         "receive direct 1 peer 1 key 0 : r0\nsend combined 1 peer 2 key 0 : r0"},
        {"staging in a message that is not combined", staged + "send direct 1 peer 2 key 0 : t0"},
        {"a local message of something other than one block of the application",
         "send direct 0 peer 1 key 0 : s0/0-1/2"},
        {"a local message of something other than one block of the application",
         "receive direct 0 peer 1 key 0 : r0\nsend direct 1 peer 2 key 0 : r0"},
        {"a copy of something other than one block", "copy direct 0 peer 0 key 0 : s0/0-1/2 r0"},
        {"a copy to the send buffer, or within staging",
         staged + "copy direct 0 peer 0 key 0 : t0 t1"},
        {"a copy of a copy",
         "copy direct 0 peer 0 key 0 : s0 r0\ncopy direct 0 peer 0 key 0 : r0 r1"},
        {"a receive into the send buffer", "receive direct 0 peer 1 key 0 : s0"},
        {"a message by size has other data than one block",
         "send direct_if_large 0 peer 1 key 0 : s0+2"},
        {"a message by size has other data than one block",
         staged + "send direct_if_large 0 peer 1 key 0 : r0"},
        {"a message by size has other data than one block",
         "send direct_if_small 0 peer 1 key 0 : s0/0-1/2"},
        {"an operation waits for a place that no operation fills",
         "receive direct_if_small 0 peer 1 key 0 : r0\n"
         "receive direct_if_large 1 peer 1 key 0 : r0/0-1/2\n"
         "send direct_if_large 2 peer 2 key 0 : r0/1-2/2"},
        {"a message without slices", "send direct 0 peer 1 key 0 :"},
    };
    for (const auto &[reason, operations] : cases) {
        try {
            const Program program(from_text(head + operations));
            ADD_FAILURE() << operations;
        } catch (const std::invalid_argument &error) {
            EXPECT_STREQ(error.what(), reason) << operations;
        }
    }
    Pattern pattern = from_text(head + "send direct 0 peer 1 key 0 : s0");
    EXPECT_NO_THROW(Program{pattern});
    pattern.operations[0].phase = kPhases;
    EXPECT_THROW(Program{pattern}, std::invalid_argument) << "its tag is another operation's";
    pattern.operations[0].phase = 0;
    pattern.operations[0].slices[0].last = 2;
    EXPECT_THROW(Program{pattern}, std::invalid_argument) << "an invalid slice";
}

// A relay's buffers are at most its blocks times T, and the headers. A plan that knows its layout
// keeps little more than the bytes it carries.
TEST(Plan, MemoryIsProportionalToTheBlocks)
{
    Random random(3);
    const Graph graph = match(dense_lists(random, 24, 0.5));
    const auto patterns = Construction(graph, make_machine({8, 8, 8}), Tuning{}).run();
    const Programs programs(patterns);
    const WireSettings wire{128, 4096, 128, 0};
    for (bool learns : {false, true}) {
        SCOPED_TRACE(learns ? "without headers" : "with headers");
        World world(24, 4, {});
        Exchange exchange(
            graph, programs, wire, world, BlockKind::one_per_edge,
            [](const Edge &) { return std::size_t{32}; }, learns ? Sizes::learnt : Sizes::told, 0.0,
            random);
        run_rounds(exchange, world, graph, 1, random, 1.0);
        for (Rank rank = 0; rank < 24; ++rank) {
            std::size_t slices = 0;
            std::size_t messages = 0;
            for (const Operation &operation : patterns[static_cast<std::size_t>(rank)].operations) {
                slices += operation.carry == Carry::combined ? operation.slices.size() : 0;
                messages += operation.carry == Carry::combined ? 1 : 0;
            }
            const std::size_t all =
                programs.of[static_cast<std::size_t>(rank)]->sends().size()
                + programs.of[static_cast<std::size_t>(rank)]->receives().size();
            EXPECT_LE(exchange.plan(rank).memory(),
                      learns ? (32 + 2 * sizeof(HeaderlessLayout::Copy)) * slices + 16 * all
                             : (128 + 8) * slices + sizeof(Header) * messages);
        }
    }
}

} // namespace
} // namespace nbrhood::test
