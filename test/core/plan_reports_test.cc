// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Reports of errors: they name the owner of the block or message, and the rank that only relayed
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "common/allocations.h"
#include "plan_fixture.h"

namespace nbrhood::test {
namespace {

// The rest of a refused message would never be received.
const WireSettings kWithoutRests{16, 1024, 10, 0, true};

// Each of six ranks has an edge to every other.
Lists everyone()
{
    Random random(1);
    return dense_lists(random, 6, 1.0);
}

// Rank 3 sends the most to the other node, so it relays the data from there, none of which is its
// own.
Lists sender_that_relays()
{
    Lists lists(6);
    for (const Rank other : {0, 1, 2}) {
        lists.add(other, 4);
        lists.add(other, 5);
        for (int edge = 0; edge < 4; ++edge) {
            lists.add(3, other);
        }
    }
    lists.add(4, 3);
    return lists;
}

// Six ranks on two nodes; one rank of each node relays.
struct Crossed {
    explicit Crossed(Scheme scheme, const Lists &lists = everyone()) : graph(match(lists))
    {
        Tuning tuning;
        tuning.values.set(kRelaysPerRegion, 1);
        tuning.values.set(kCombineLocal, 0);
        patterns =
            Construction(graph, make_machine({3, 3}), tuning, BlockKind::one_per_edge, scheme)
                .run();
    }

    // The rank that brings the block of a slot.
    Rank carrier(Rank rank, std::uint32_t slot) const
    {
        for (const Operation &operation : patterns[static_cast<std::size_t>(rank)].operations) {
            for (const Slice &slice : operation.slices) {
                if (operation.kind == OperationKind::receive && operation.carry == Carry::combined
                    && slice.space == Space::receive && slice.block == slot) {
                    return operation.peer;
                }
            }
        }
        return rank; // the rank itself is the relay
    }
    Graph graph;
    std::vector<Pattern> patterns;
};

// The block of a slot is too long: the report names the owner of the block, and only the rank of
// the slot ends with an error, even if it relays for others.
TEST(PlanReports, ABlockThatIsTooLongIsItsSourcesAndItsReceiversAlone)
{
    int through_relays = 0;
    for (const Scheme scheme : kSchemes) {
        const Crossed crossed(scheme);
        const Programs programs(crossed.patterns);
        for (Rank rank = 0; rank < 6; ++rank) {
            for (std::uint32_t slot = 0; slot < 5; ++slot) {
                for (const bool learns : {false, true}) {
                    Random random(slot);
                    World world(6, random(), {});
                    Exchange exchange(
                        crossed.graph, programs, kSmall, world, BlockKind::one_per_edge,
                        [](const Edge &) { return std::size_t{8}; },
                        learns ? Sizes::learnt : Sizes::told, 0.0, random);
                    const Rank source = crossed.graph[static_cast<std::size_t>(rank)].in[slot].peer;
                    if ((source < 3) == (rank < 3)) {
                        continue; // goes direct
                    }
                    SCOPED_TRACE("rank " + std::to_string(rank) + ", block of "
                                 + std::to_string(source));
                    exchange.expect_size(rank, slot, 4);
                    for (int start = 0; start < (learns ? 2 : 1); ++start) {
                        exchange.run_once(world);
                        ASSERT_EQ(exchange.hanging(), 0);
                        ASSERT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
                        for (Rank other = 0; other < 6; ++other) {
                            ASSERT_EQ(exchange.error(other), other == rank ? kTruncated : 0)
                                << "rank " << other << ", start " << start;
                        }
                    }
                    ASSERT_EQ(world.reports().size(), 1U);
                    const World::Report &told = world.reports()[0];
                    EXPECT_EQ(told.rank, rank);
                    EXPECT_EQ(told.behind, source);
                    const Rank carrier = crossed.carrier(rank, slot);
                    if (carrier != rank) {
                        EXPECT_EQ(told.peer, carrier);
                        through_relays += carrier != source ? 1 : 0;
                    }
                }
            }
        }
    }
    EXPECT_GT(through_relays, 10);
}

// One message is unexpected. The report of a rank that misses its blocks names the ranks between
// which the error was found; the report of a rank that would only have relayed them says so.
void spoil_each_message(const Crossed &crossed, int &passed_on, int &only_relayed)
{
    const Programs programs(crossed.patterns);
    for (int wrong = 0, number = 1; number > wrong && !testing::Test::HasFailure(); ++wrong) {
        SCOPED_TRACE("message " + std::to_string(wrong));
        Random random(1);
        World world(6, random(), {});
        Exchange exchange(
            crossed.graph, programs, kWithoutRests, world, BlockKind::one_per_edge,
            [](const Edge &) { return std::size_t{8}; }, Sizes::told, 0.0, random);
        number = 0;
        world.on_matched([&](int tag, std::vector<char> &bytes) {
            const int phase = tag - kTagBlocking;
            const bool relayed = phase == kGather || phase == kInter || phase == kRedistribute;
            if (relayed && number++ == wrong) {
                bytes[0] = static_cast<char>(bytes[0] ^ 1); // of the hash
            }
        });
        exchange.run_once(world);
        ASSERT_EQ(exchange.hanging(), 0);
        ASSERT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        const auto met = std::find_if(
            world.reports().begin(), world.reports().end(),
            [](const World::Report &told) { return told.text == "it has a different header"; });
        ASSERT_EQ(met == world.reports().end(), number <= wrong);
        for (const World::Report &told : world.reports()) {
            EXPECT_EQ(exchange.error(told.rank), kMismatch);
            if (&told != &*met) {
                EXPECT_EQ(told.behind, met->peer);
                EXPECT_EQ(told.at, met->rank);
                ++passed_on;
                only_relayed += told.text == "failed before, only relayed" ? 1 : 0;
            }
        }
    }
}

TEST(PlanReports, AnErrorThatIsPassedOnNamesTheRanksWhereItWasMet)
{
    for (const Scheme scheme : kSchemes) {
        int passed_on = 0;
        int only_relayed = 0;
        spoil_each_message(Crossed(scheme), passed_on, only_relayed);
        EXPECT_GT(passed_on, 5);
        EXPECT_EQ(only_relayed, 0) << "every relay is a destination, too";
    }
    int passed_on = 0;
    int only_relayed = 0;
    spoil_each_message(Crossed(kThreeStep, sender_that_relays()), passed_on, only_relayed);
    EXPECT_GT(passed_on, only_relayed);
    EXPECT_GT(only_relayed, 0);
}

// Ranks 0 to 2 of one node send to rank 3 alone on another; the messages to rank 3 are changed.
struct Changed {
    Changed(std::size_t bytes, int copies,
            const std::function<void(int, std::vector<char> &)> &change)
    {
        Lists lists(4);
        for (Rank source : {0, 1, 2}) {
            for (int i = 0; i < copies; ++i) {
                lists.add(source, 3);
            }
        }
        lists.add(0, 1); // one component
        lists.add(1, 2);
        const Graph graph = match(lists);
        Tuning tuning;
        tuning.values.set(kRelaysPerRegion, 1);
        tuning.values.set(kCombineLocal, 0);
        const Programs programs(Construction(graph, make_machine({3, 1}), tuning).run());
        Random random(1);
        World world(4, 2, {});
        Exchange exchange(
            graph, programs, kSmall, world, BlockKind::one_per_edge,
            [=](const Edge &) { return bytes; }, Sizes::told, 0.0, random);
        world.on_matched([&](int tag, std::vector<char> &message) {
            if ((tag - kTagBlocking) % kPhases == kInter) {
                change(tag - kTagBlocking, message);
            }
        });
        Counting::take();
        exchange.run_once(world);
        largest = Counting::largest();
        EXPECT_EQ(exchange.hanging(), 0);
        EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        error = exchange.error(3);
        text = world.reports().empty() ? "" : world.reports()[0].text;
    }
    int error = 0;
    std::size_t largest = 0;
    std::string text;
};

TEST(PlanReports, ARestOrAnUnpackedBlockOfAnotherLengthIsAMismatch)
{
    int changed = 0;
    const auto shorten = [&](int tag, std::vector<char> &message) {
        if (tag >= kPhases && !message.empty()) {
            message.pop_back();
            ++changed;
        }
    };
    const Changed rest(10, 8, shorten); // 240 bytes of payload, 64 in the first message
    EXPECT_EQ(rest.error, kMismatch);
    EXPECT_EQ(rest.text, "what follows it is not as long as it says");
    EXPECT_EQ(changed, 1);
    const Changed unpacked(16, 1, shorten);
    EXPECT_EQ(unpacked.error, kMismatch);
    EXPECT_EQ(unpacked.text, "what follows it is not as long as it says");
    EXPECT_EQ(changed, 1 + 3);
}

TEST(PlanReports, NoHeaderMakesARankAskForMemoryThatItsBlocksDoNotNeed)
{
    for (const bool table : {false, true}) {
        const Changed wild(10, 8, [&](int tag, std::vector<char> &message) {
            if (tag < kPhases) {
                Header header;
                std::memcpy(&header, message.data(), sizeof header);
                header.payload = std::uint64_t{1} << 40;
                header.table = table ? std::uint64_t{1} << 39 : 0;
                std::memcpy(message.data(), &header, sizeof header);
            }
        });
        EXPECT_EQ(wild.error, kMismatch);
        EXPECT_LT(wild.largest, std::size_t{1} << 16);
        EXPECT_EQ(wild.text, table ? "its table is longer than its blocks need"
                                   : "the sizes of its blocks do not add up");
    }
}

// The two ends of an edge disagree on whether its block is combined; later starts of a persistent
// request end like the first.
TEST(PlanReports, LaterStartsEndWhereTheEndsOfAnEdgeDisagree)
{
    const Crossed crossed(kThreeStep);
    const Programs programs(crossed.patterns);
    for (const double eager : {0.0, 1.0}) {
        for (const auto &[sent, expected] : {std::pair<std::size_t, std::size_t>{8, 17}, {17, 8}}) {
            Random random(1);
            WorldOptions options;
            options.eager = eager;
            World world(6, 3, options);
            const std::size_t bytes = sent;
            Exchange exchange(
                crossed.graph, programs, kSmall, world, BlockKind::one_per_edge,
                [=](const Edge &) { return bytes; }, Sizes::learnt, 0.0, random);
            std::size_t slot = 0;
            while (crossed.graph[5].in[slot].peer > 2) {
                ++slot;
            }
            exchange.expect_size(5, slot, expected);
            for (int start = 0; start < 3; ++start) {
                SCOPED_TRACE("eager " + std::to_string(eager) + ", sent " + std::to_string(sent)
                             + ", start " + std::to_string(start));
                exchange.run_once(world);
                ASSERT_EQ(exchange.hanging(), 0);
                EXPECT_EQ(exchange.error(5), kTruncated);
            }
        }
    }
}

} // namespace
} // namespace nbrhood::test
