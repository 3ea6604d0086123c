// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Closed formulas and the lower bound, worked out by hand and against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "flow_support.h"
#include "analysis/closed_forms.h"

namespace nbrhood::test {
namespace {

const Costs kCosts =
    make_costs({1e-6, 1e-9, 5e-6, 2e-9}, {4e-6, 2e-9, 9e-6, 3e-9}, 100, 1e-9, 1e-10, 7e-6);
constexpr double kExact = 1e-15;
constexpr double kRounding = 1e-12;

// Rank 0 sends to 1 (its own node), 2 and 3; rank 3 sends to 0.
Lists four_ranks()
{
    Lists lists(4);
    lists.add(0, 1);
    lists.add(0, 2);
    lists.add(0, 3);
    lists.add(3, 0);
    return lists;
}
const Cluster kTwoByTwo{{0, 0, 1, 1}, {2, 2}};

Flow flow_of(std::uint64_t bytes)
{
    return Flow(direct_patterns(match(four_ranks()), BlockKind::one_per_edge), equal_bytes(bytes),
                {});
}

TEST(ClosedForms, AreWorkedOutByHand)
{
    const Flow flow = flow_of(50);
    // Rank 0 has three messages out and one in.
    const double local = 1e-6 + 50e-9, nonlocal = 4e-6 + 100e-9;
    EXPECT_NEAR(hockney_seconds(flow, kTwoByTwo, kCosts), 4 * nonlocal / 2 + 7e-6, kExact);
    EXPECT_NEAR(postal_seconds(flow, kTwoByTwo, kCosts), (local + 3 * nonlocal) / 2 + 7e-6, kExact);
    EXPECT_NEAR(max_rate_seconds(flow, kTwoByTwo, kCosts), (local + 3 * nonlocal) / 2 + 7e-6,
                kExact);
    // Long messages.
    const Flow large = flow_of(1000);
    EXPECT_NEAR(postal_seconds(large, kTwoByTwo, kCosts),
                (5e-6 + 2e-6 + 3 * (9e-6 + 3e-6)) / 2 + 7e-6, kExact);
    // Two blocks leave node 0 and one comes in, more slowly than rank 0 can send them.
    Costs slow = kCosts;
    slow.injection_byte = 1e-7;
    EXPECT_NEAR(max_rate_seconds(large, kTwoByTwo, slow), 2 * 1000 * 1e-7 + 7e-6, kExact);
    EXPECT_EQ(postal_seconds(large, kTwoByTwo, slow), postal_seconds(large, kTwoByTwo, kCosts));
}

TEST(ClosedForms, CreationIsWorkedOutByHand)
{
    // Rank 0 writes to 1 in its node and to 2, which answers: three ends, in two rounds. In
    // addition, four ranks add up twice, in two rounds up a tree and two down. The first time each
    // rank's record goes up once, and down in both rounds.
    const Negotiation negotiation{{{0, 1, 40}, {0, 2, 40}, {2, 0, 1000}}, 2};
    const double nonlocal = 4e-6 + 80e-9, nonlocal_long = 9e-6 + 3e-6, local = 1e-6 + 40e-9;
    const double told = 3 * 4 * 32 * 2e-9;
    EXPECT_NEAR(creation_seconds(negotiation, kTwoByTwo, kCosts),
                (local + nonlocal + nonlocal_long) / 2 + 2 * 7e-6 + 8 * (7e-6 + 4e-6) + told,
                kExact);
    // Without builders there is one sum.
    EXPECT_NEAR(creation_seconds(Negotiation{}, kTwoByTwo, kCosts), 4 * (7e-6 + 4e-6) + told,
                kExact);
    // Two ranks share a core: it does the work of both, and switches from one to the other.
    const Cluster oversubscribed{{0, 0, 1, 1}, {1, 1}};
    EXPECT_NEAR(creation_seconds(negotiation, oversubscribed, kCosts),
                std::max((local + nonlocal + nonlocal_long) / 2 + 2 * 7e-6,
                         (2 * local + nonlocal + nonlocal_long) / 2 + 2 * 7e-6)
                    + 2 * (8 * (7e-6 + 4e-6) + told),
                kExact);
}

TEST(ClosedForms, CoresAreSharedByTheRanksThatWork)
{
    const Flow flow = flow_of(50);
    const double local = 1e-6 + 50e-9, nonlocal = 4e-6 + 100e-9;
    // Node 0: both ranks work, on one core, and each has to be waited for once.
    const Cluster core{{0, 0, 1, 1}, {1, 1}};
    const double node = (2 * local + 3 * nonlocal) / 2 + 2 * 7e-6;
    EXPECT_NEAR(postal_seconds(flow, core, kCosts), node, kExact);
    const double all_nonlocal = 5 * nonlocal / 2 + 2 * 7e-6;
    EXPECT_NEAR(hockney_seconds(flow, core, kCosts), all_nonlocal, kExact);
    // A node whose other ranks have nothing to do is not oversubscribed.
    Lists lists(4);
    lists.add(0, 3);
    const Flow one(direct_patterns(match(lists), BlockKind::one_per_edge), equal_bytes(50), {});
    EXPECT_NEAR(postal_seconds(one, core, kCosts), nonlocal / 2 + 7e-6, kExact);
}

TEST(ClosedForms, ChainsCostAPhaseForEachMessage)
{
    const std::vector<Pattern> patterns{from_text("pattern rank 0 one_per_edge staging 0\n"
                                                  "send combined 1 peer 1 key 0 : s0 s1\n"),
                                        from_text("pattern rank 1 one_per_edge staging 2\n"
                                                  "receive combined 1 peer 0 key 0 : t0 t1\n"
                                                  "send combined 2 peer 2 key 0 : t0 t1\n"),
                                        from_text("pattern rank 2 one_per_edge staging 0\n"
                                                  "receive combined 2 peer 1 key 0 : r0 r1\n")};
    const Flow flow(patterns, equal_bytes(20), FlowLimits{100, 100});
    const Cluster cluster{{0, 0, 1}, {2, 1}};
    const double local = 1e-6 + 40e-9, nonlocal = 4e-6 + 80e-9;
    EXPECT_NEAR(postal_seconds(flow, cluster, kCosts), (local + nonlocal) / 2 + 2 * 7e-6, kExact);
    // The relay passes the received data on without a copy.
    EXPECT_NEAR(max_rate_seconds(flow, cluster, kCosts), (local + nonlocal) / 2 + 2 * 7e-6, kExact);
    // With a block of its own behind them it copies 60 bytes and handles two segments, at a
    // twentieth of a local message, half of it at either end.
    std::vector<Pattern> own = patterns;
    own[1].operations[1].slices.push_back(Slice{Space::send, 0});
    own[2].operations[0].slices.push_back(Slice{Space::receive, 2});
    const Flow more(own, equal_bytes(20), FlowLimits{100, 100});
    EXPECT_NEAR(max_rate_seconds(more, cluster, kCosts),
                (local + nonlocal + 40e-9) / 2 + 60 * 1e-10 + 2 * 0.05e-6 / 2 + 2 * 7e-6, kExact);
}

TEST(ClosedForms, NoMessagesTakeNoTime)
{
    const Flow flow(direct_patterns(match(Lists(4)), BlockKind::one_per_edge), equal_bytes(8), {});
    EXPECT_EQ(hockney_seconds(flow, kTwoByTwo, kCosts), 0);
    EXPECT_EQ(postal_seconds(flow, kTwoByTwo, kCosts), 0);
    EXPECT_EQ(max_rate_seconds(flow, kTwoByTwo, kCosts), 0);
}

TEST(ClosedForms, DifferOnlyInWhatTheyKnow)
{
    for (int seed = 0; seed < scaled(600); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        Case c(random, draw(random, 1, 40));
        const bool apart = chance(random, 0.3);
        if (apart) {
            c.machine =
                make_machine(std::vector<int>(static_cast<std::size_t>(c.machine.ranks()), 1));
            c.cluster = cluster_of(c.machine, 1);
        }
        for (std::size_t algorithm = 0; algorithm < registry().size(); ++algorithm) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + registry()[algorithm].name);
            if (!serves(registry()[algorithm], c.kind)) {
                continue;
            }
            const Flow flow = c.flow(algorithm);
            const double hockney = hockney_seconds(flow, c.cluster, c.costs);
            const double postal = postal_seconds(flow, c.cluster, c.costs);
            const double max_rate = max_rate_seconds(flow, c.cluster, c.costs);
            if (apart) {
                EXPECT_EQ(hockney, postal) << "no message is local";
            }
            EXPECT_GE(max_rate * (1 + kRounding), postal);
            Costs free = c.costs;
            free.injection_byte = 0;
            const bool packed =
                std::any_of(flow.messages().begin(), flow.messages().end(),
                            [](const FlowMessage &m) { return m.gathered + m.scattered != 0; });
            if (!packed) {
                EXPECT_NEAR(max_rate_seconds(flow, c.cluster, free), postal, kRounding * postal);
            }
            // If local messages cost as much as others, nodes do not matter.
            Costs identical = c.costs;
            identical[Link::node] = identical[Link::network];
            EXPECT_EQ(postal_seconds(flow, c.cluster, identical), hockney);
        }
    }
}

TEST(LowerBound, IsWorkedOutByHand)
{
    const Graph graph = match(four_ranks());
    const LowerBound bound =
        lower_bound(graph, BlockKind::one_per_edge, equal_bytes(50), kTwoByTwo, kCosts);
    EXPECT_EQ(bound.messages, 2) << "one each way";
    EXPECT_EQ(bound.bytes, 150);
    EXPECT_NEAR(bound.seconds, 4e-6 + kCosts.phase_latency, kExact) << "a message from end to end";
    // The two ranks of a node share many messages and bytes; a single message is not divided.
    Costs near = kCosts;
    near.phase_latency = 0;
    const Cluster hub{{0, 0, 1, 2, 3}, {2, 1, 1, 1}};
    Lists star(5);
    for (Rank rank = 2; rank < 5; ++rank) {
        star.add(0, rank);
    }
    EXPECT_NEAR(
        lower_bound(match(star), BlockKind::one_per_edge, equal_bytes(1), hub, near).seconds,
        2 * 4e-6 / 2, kExact);
    star.add(2, 1);
    star.add(3, 1);
    EXPECT_NEAR(
        lower_bound(match(star), BlockKind::one_per_edge, equal_bytes(1000), hub, near).seconds,
        (5 * 4e-6 + 5000 * 2e-9) / 2 / 2, kExact);
    const LowerBound rank =
        lower_bound(graph, BlockKind::one_per_rank, equal_bytes(50), kTwoByTwo, kCosts);
    EXPECT_EQ(rank.messages, 2);
    EXPECT_EQ(rank.bytes, 100) << "the block of rank 0 enters node 1 once";
    // One core a node.
    const Cluster core{{0, 0, 1, 1}, {1, 1}};
    EXPECT_NEAR(lower_bound(graph, BlockKind::one_per_edge, equal_bytes(50), core, kCosts).seconds,
                (2 * 4e-6 + 150 * 2e-9) / 2, kExact);
    // The bytes that enter a node, if the network is slow.
    Costs slow = kCosts;
    slow.injection_byte = 1e-6;
    EXPECT_NEAR(
        lower_bound(graph, BlockKind::one_per_edge, equal_bytes(50), kTwoByTwo, slow).seconds,
        100 * 1e-6, kExact);
    // Each rank handles the bytes that arrive for it, at the least cost of a byte for a receiver.
    Costs heavy = kCosts;
    heavy[Link::node] = heavy[Link::network] = {0, 1e-6, 0, 1e-6};
    heavy.copy_byte = 3e-7;
    Lists lists(4);
    lists.add(1, 0);
    lists.add(0, 0);
    EXPECT_NEAR(
        lower_bound(match(lists), BlockKind::one_per_edge, equal_bytes(50), kTwoByTwo, heavy)
            .seconds,
        100 * 3e-7, kExact);
    heavy[Link::node] = {0, 1e-7, 0, 1e-6};
    EXPECT_NEAR(
        lower_bound(match(lists), BlockKind::one_per_edge, equal_bytes(50), kTwoByTwo, heavy)
            .seconds,
        50 * 5e-8 + 50 * 3e-7, kExact);
}

// With receive 1 and message 3, f is 1 until 3, and then f(t - 1) + f(t - 3).
TEST(LowerBound, GathersBlocksNoFasterThanMessagesDouble)
{
    EXPECT_EQ(gathering_seconds(0, 1, 3), 0);
    EXPECT_EQ(gathering_seconds(1, 1, 3), 0) << "its own";
    const std::vector<int> known{1, 1, 1, 2, 3, 4, 6, 9, 13}; // at 0, 1, ...
    for (int ranks = 2; ranks <= 13; ++ranks) {
        int seconds = 0;
        while (known[static_cast<std::size_t>(seconds)] < ranks) {
            ++seconds;
        }
        EXPECT_EQ(gathering_seconds(ranks, 1, 3), seconds) << ranks;
    }
    EXPECT_EQ(gathering_seconds(1000, 0, 3), 3) << "all messages at once";
    // Five ranks, each on its own node, send to the sixth. The bound holds for all routes of their
    // blocks.
    Lists star(6);
    for (Rank rank = 1; rank < 6; ++rank) {
        star.add(rank, 0);
    }
    Costs costs = kCosts;
    costs.phase_latency = 1e-6;
    for (LinkCosts &link : costs.links) {
        link = {2e-6, 0, 2e-6, 0};
    }
    const Cluster own_nodes{{0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}};
    EXPECT_NEAR(lower_bound(match(star), BlockKind::one_per_edge, equal_bytes(1), own_nodes, costs)
                    .seconds_of_any,
                6e-6, kExact);
}

TEST(LowerBound, CountsPairsOfNodesAndTheBytesThatEnterThem)
{
    for (int seed = 0; seed < scaled(1000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Case c(random, draw(random, 1, 40));
        const LowerBound bound = lower_bound(c.graph, c.kind, c.bytes, c.cluster, c.costs);
        std::set<std::pair<Region, Region>> pairs;
        std::map<std::pair<Rank, Region>, std::uint64_t> of_ranks; // by source and node
        for (const Neighbourhood &own : c.graph) {
            for (std::uint32_t slot = 0; slot < own.out.size(); ++slot) {
                const Rank peer = own.out[slot].peer;
                const bool per_rank = c.kind == BlockKind::one_per_rank;
                const std::uint64_t block = c.bytes(own.rank, per_rank ? 0 : slot);
                if (peer == kNoRank || block == 0 || c.machine.local(own.rank, peer)) {
                    continue;
                }
                pairs.insert({c.machine.region_of(own.rank), c.machine.region_of(peer)});
                std::uint64_t &bytes = of_ranks[{own.rank, c.machine.region_of(peer)}];
                bytes = per_rank ? block : bytes + block;
            }
        }
        std::int64_t bytes = 0;
        for (const auto &entry : of_ranks) {
            bytes += static_cast<std::int64_t>(entry.second);
        }
        EXPECT_EQ(bound.messages, static_cast<std::int64_t>(pairs.size()));
        EXPECT_EQ(bound.bytes, bytes);
        // The maximum for any pattern; a message for each edge would be more.
        const Flow flow = c.flow(0);
        std::int64_t crossing = 0;
        for (const FlowMessage &message : flow.messages()) {
            crossing += c.cluster.local(message.source, message.destination) ? 0 : 1;
        }
        EXPECT_LE(bound.messages, crossing);
    }
}

} // namespace
} // namespace nbrhood::test
