// Blocks that were large in one blocking call go direct in the next ones, and combined messages
// without other blocks are not sent.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan_fixture.h"

namespace nbrhood::test {
namespace {

constexpr std::size_t kT = kSmall.combining_threshold;

struct Case {
    Case(Random &random, BlockKind kind)
    {
        const int ranks = draw(random, 2, 16);
        graph = random_graph(random, ranks);
        Construction built(graph, random_machine(random, ranks), random_tuning(random), kind,
                           chance(random, 0.3) ? kTwoStep : kThreeStep);
        patterns = built.run();
    }
    Graph graph;
    std::vector<Pattern> patterns;
};

// Blocks are mostly on one side of T, and change sides from time to time.
SizeOf drifting_sizes(std::uint64_t seed, int round)
{
    return [=](const Edge &edge) -> std::size_t {
        const std::uint64_t block = mix(hash_of(edge) ^ seed);
        const std::uint64_t era = static_cast<std::uint64_t>(round) / (1 + block % 9);
        const std::uint64_t drawn = mix(block + era);
        const bool large = drawn % 3 != 0;
        return large ? kT + 1 + drawn / 3 % 40 : drawn / 3 % (kT + 1);
    };
}

TEST(LeftOut, SizesMayChangeFromCallToCall)
{
    for (int seed = 0; seed < scaled(300) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const BlockKind kind = kKinds[seed % 2];
        const Case made(random, kind);
        const Programs programs(made.patterns);
        WorldOptions options;
        options.eager = draw(random, 0, 2) / 2.0;
        options.at_once = draw(random, 0, 2) / 2.0;
        World world(static_cast<int>(made.graph.size()), random(), options);
        const std::uint64_t sizes = random();
        Exchange exchange(made.graph, programs, kSmall, world, kind, drifting_sizes(sizes, 0),
                          Sizes::remembered, draw(random, 0, 2) / 2.0, random);
        for (int round = 0; round < 2 * static_cast<int>(LeftOut::kPeriod) + 4; ++round) {
            exchange.resize(drifting_sizes(sizes, round));
            exchange.run_once(world);
            ASSERT_EQ(exchange.hanging(), 0) << "round " << round;
            ASSERT_TRUE(exchange.faults().empty()) << exchange.faults().front();
        }
        EXPECT_TRUE(exchange.guards_intact());
        EXPECT_TRUE(world.empty()) << "messages or receives are left";
        EXPECT_EQ(world.misuses(), 0);
        for (const Neighbourhood &own : made.graph) {
            EXPECT_EQ(exchange.error(own.rank), 0) << "rank " << own.rank;
        }
    }
}

Graph all_to_all(int ranks)
{
    Lists lists(ranks);
    for (Rank source = 0; source < ranks; ++source) {
        for (Rank other = 1; other < ranks; ++other) {
            lists.add(source, (source + other) % ranks);
        }
    }
    return match(lists);
}

// How many combined messages each call sends, of 8 ranks on 2 nodes.
std::vector<std::size_t> combined_messages(Sizes sizes, const std::vector<std::size_t> &calls)
{
    const Graph graph = all_to_all(8);
    Random random(1);
    Construction built(graph, make_machine({4, 4}), Tuning{});
    const Programs programs(built.run());
    World world(8, 2, {});
    Exchange exchange(
        graph, programs, kSmall, world, BlockKind::one_per_edge,
        [](const Edge &) { return std::size_t{0}; }, sizes, 0.0, random);
    std::vector<std::size_t> messages;
    std::size_t before = 0;
    for (const std::size_t bytes : calls) {
        exchange.resize([=](const Edge &) { return bytes; });
        exchange.run_once(world);
        EXPECT_EQ(exchange.hanging(), 0);
        EXPECT_TRUE(exchange.faults().empty());
        messages.push_back(static_cast<std::size_t>(world.bytes_messages()) - before);
        before += messages.back();
    }
    return messages;
}

TEST(LeftOut, NothingIsCombinedWhereAllBlocksAreLarge)
{
    std::vector<std::size_t> calls(LeftOut::kPeriod + 2, 100);
    const auto told = combined_messages(Sizes::told, calls);
    const auto remembered = combined_messages(Sizes::remembered, calls);
    for (std::size_t call = 0; call < calls.size(); ++call) {
        EXPECT_GT(told[call], 0U);
        const bool tells = call == 0 || call == LeftOut::kPeriod - 1;
        EXPECT_EQ(remembered[call], tells ? told[call] : 0U) << "call " << call;
    }
}

TEST(LeftOut, SmallBlocksAreCombinedAgainAfterAWhile)
{
    std::vector<std::size_t> calls(LeftOut::kPeriod + 2, 8);
    const auto told = combined_messages(Sizes::told, calls);
    EXPECT_EQ(combined_messages(Sizes::remembered, calls), told) << "never large";
    calls[3] = 100;
    const auto remembered = combined_messages(Sizes::remembered, calls);
    EXPECT_GT(remembered[3], 0U);
    for (std::size_t call = 4; call < LeftOut::kPeriod - 1; ++call) {
        EXPECT_EQ(remembered[call], 0U) << "call " << call;
    }
    EXPECT_EQ(remembered[LeftOut::kPeriod - 1], told.back());
    EXPECT_EQ(remembered[LeftOut::kPeriod], told.back());
}

// A relay that fails to get a message makes others fail; all of them go on alike.
TEST(LeftOut, CallsGoOnAfterABlockThatWasTooLong)
{
    const Graph graph = all_to_all(8);
    for (const std::size_t large : {std::size_t{8}, std::size_t{100}}) {
        Random random(1);
        Construction built(graph, make_machine({4, 4}), Tuning{});
        const Programs programs(built.run());
        World world(8, 2, {});
        const SizeOf size = [=](const Edge &edge) {
            return edge.source % 3 == 0 ? large : std::size_t{8};
        };
        Exchange exchange(graph, programs, kSmall, world, BlockKind::one_per_edge, size,
                          Sizes::remembered, 0.0, random);
        for (int round = 0; round < 8; ++round) {
            exchange.resize(size);
            const bool wrong = round == 2 || round == 5;
            if (wrong) { // of rank 7 on the other node
                exchange.expect_size(1, 5, 4);
            }
            exchange.run_once(world);
            ASSERT_EQ(exchange.hanging(), 0) << "round " << round;
            EXPECT_EQ(exchange.error(1) != 0, wrong);
            EXPECT_TRUE(exchange.faults().empty());
            EXPECT_TRUE(exchange.guards_intact());
        }
    }
}

} // namespace
} // namespace nbrhood::test
