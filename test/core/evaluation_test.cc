// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Event evaluation of small cases, whose times are worked out here by hand;
// evaluation_timeline_test.cc has the properties of all evaluations.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "flow_support.h"
#include "select/model.h"

namespace nbrhood::test {
namespace {

// Short messages up to 100 bytes.
const Costs kCosts =
    make_costs({1e-6, 1e-9, 5e-6, 2e-9}, {4e-6, 2e-9, 9e-6, 3e-9}, 100, 1e-9, 1e-10, 7e-6);

// Messages of these lists of edges, without relays.
Flow direct(const Lists &lists, std::uint64_t bytes)
{
    return Flow(direct_patterns(match(lists), BlockKind::one_per_edge), equal_bytes(bytes), {});
}

Flow one_message(std::uint64_t bytes)
{
    Lists lists(2);
    lists.add(0, 1);
    return direct(lists, bytes);
}

// Half of the cost of a message: the processor's part at either end.
double half(const LinkCosts &link, double bytes)
{
    const bool is_long = bytes > 100;
    return ((is_long ? link.long_message : link.message)
            + bytes * (is_long ? link.long_byte : link.byte))
           / 2;
}

constexpr double kExact = 1e-15;
const Cluster kOneNode{{0, 0}, {2}};
const Cluster kTwoNodes{{0, 1}, {1, 1}};

TEST(Evaluation, AMessageTakesItsTwoOverheadsAndThePhase)
{
    for (const std::uint64_t size : {0, 1, 100, 101, 5000}) {
        SCOPED_TRACE(size);
        const auto bytes = static_cast<double>(size);
        const Evaluation local = evaluate(one_message(size), kOneNode, kCosts);
        EXPECT_NEAR(local.seconds, 2 * half(kCosts[Link::node], bytes) + kCosts.phase_latency,
                    kExact);
        ASSERT_EQ(local.finished.size(), 2U);
        EXPECT_NEAR(local.finished[0], half(kCosts[Link::node], bytes), kExact);
        EXPECT_EQ(local.finished[1], local.seconds);
        // Between nodes, where the network is faster than the two ranks.
        const Evaluation far = evaluate(one_message(size), kTwoNodes, kCosts);
        EXPECT_NEAR(far.seconds, 2 * half(kCosts[Link::network], bytes) + kCosts.phase_latency,
                    kExact);
    }
    EXPECT_NEAR(evaluate(one_message(100), kOneNode, kCosts).seconds, 1e-6 + 1e-7 + 7e-6, kExact);
    EXPECT_NEAR(evaluate(one_message(101), kTwoNodes, kCosts).seconds, 9e-6 + 3.03e-7 + 7e-6,
                kExact);
}

TEST(Evaluation, MessagesInsideANodeCostWhatTheirLinkDoes)
{
    Costs costs = kCosts;
    costs[Link::socket] = {5e-7, 5e-10, 2e-6, 1e-9};
    costs[Link::die_pair] = {2e-7, 2e-10, 1e-6, 5e-10};
    const struct {
        Place other;
        Link link;
    } cases[] = {{Place{3, {2, 2, 2, 2, 2}}, Link::node},
                 {Place{3, {1, 2, 2, 2, 2}}, Link::socket},
                 {Place{3, {1, 1, 1, 1, 2}}, Link::die_pair}};
    for (const auto &c : cases) {
        Cluster cluster = kOneNode;
        cluster.places = {Place{3, {1, 1, 1, 1, 1}}, c.other};
        for (const int bytes : {40, 5000}) {
            const double seconds = 2 * half(costs[c.link], bytes) + costs.phase_latency;
            const Flow flow = one_message(static_cast<std::uint64_t>(bytes));
            EXPECT_NEAR(evaluate(flow, cluster, costs).seconds, seconds, kExact);
        }
    }
}

TEST(Evaluation, TheNetworkMayBeSlowerThanTheSource)
{
    Costs costs = kCosts;
    costs.injection_byte = 5e-9;
    // The bytes flow while the source works on them, and cut through the other node's ejection
    // link.
    EXPECT_NEAR(evaluate(one_message(5000), kTwoNodes, costs).seconds,
                5000 * 5e-9 + half(costs[Link::network], 5000) + costs.phase_latency, kExact);
    EXPECT_NEAR(evaluate(one_message(5000), kOneNode, costs).seconds,
                2 * half(costs[Link::node], 5000) + costs.phase_latency, kExact)
        << "not inside a node";
}

TEST(Evaluation, ASourceSendsOneMessageAfterTheOther)
{
    for (const int count : {1, 2, 5, 9}) {
        Lists lists(count + 1);
        Cluster cluster{{0}, {1}};
        for (Rank to = 1; to <= count; ++to) {
            lists.add(0, to);
            cluster.node_of.push_back(to);
            cluster.cores.push_back(1);
        }
        const double o = half(kCosts[Link::network], 5000);
        EXPECT_NEAR(evaluate(direct(lists, 5000), cluster, kCosts).seconds,
                    count * o + kCosts.phase_latency + o, kExact);
        Costs slow = kCosts;
        slow.injection_byte = 5e-9;
        EXPECT_NEAR(evaluate(direct(lists, 5000), cluster, slow).seconds,
                    count * 5000 * 5e-9 + slow.phase_latency + o, kExact);
    }
}

TEST(Evaluation, ADestinationReceivesOneMessageAfterTheOther)
{
    // They share the ejection link equally, and arrive together.
    for (const int count : {1, 2, 5, 9}) {
        Lists lists(count + 1);
        Cluster cluster{{0}, {1}};
        for (Rank from = 1; from <= count; ++from) {
            lists.add(from, 0);
            cluster.node_of.push_back(from);
            cluster.cores.push_back(1);
        }
        const double o = half(kCosts[Link::network], 5000);
        EXPECT_NEAR(evaluate(direct(lists, 5000), cluster, kCosts).seconds,
                    std::max(o, count * 5000 * 1e-9) + kCosts.phase_latency + count * o, kExact);
        Costs slow = kCosts;
        slow.injection_byte = 5e-9;
        EXPECT_NEAR(evaluate(direct(lists, 5000), cluster, slow).seconds,
                    count * 5000 * 5e-9 + slow.phase_latency + count * o, kExact);
    }
}

TEST(Evaluation, RanksOfANodeShareTheInjectionLink)
{
    Lists lists(4);
    lists.add(0, 2);
    lists.add(1, 3);
    const Flow flow = direct(lists, 5000);
    Costs slow = kCosts;
    slow.injection_byte = 5e-9;
    const double o = half(slow[Link::network], 5000);
    const Cluster shared{{0, 0, 1, 2}, {2, 1, 1}};
    EXPECT_NEAR(evaluate(flow, shared, slow).seconds, 2 * 25e-6 + slow.phase_latency + o, kExact);
    const Cluster shared_in{{0, 1, 2, 2}, {1, 1, 2}};
    EXPECT_NEAR(evaluate(flow, shared_in, slow).seconds, 2 * 25e-6 + slow.phase_latency + o,
                kExact);
    const Cluster apart{{0, 1, 2, 3}, {1, 1, 1, 1}};
    EXPECT_NEAR(evaluate(flow, apart, slow).seconds, 25e-6 + slow.phase_latency + o, kExact);
}

TEST(Evaluation, MessagesOnALinkShareItEqually)
{
    // 5000 and 2500 bytes: both at half the rate until the shorter is through, after 25 us; the
    // longer is through after 37.5 us.
    const std::vector<Pattern> patterns{from_text("pattern rank 0 one_per_edge staging 0\n"
                                                  "send direct 0 peer 2 key 0 : s0\n"),
                                        from_text("pattern rank 1 one_per_edge staging 0\n"
                                                  "send direct 0 peer 3 key 0 : s0\n"),
                                        from_text("pattern rank 2 one_per_edge staging 0\n"
                                                  "receive direct 0 peer 0 key 0 : r0\n"),
                                        from_text("pattern rank 3 one_per_edge staging 0\n"
                                                  "receive direct 0 peer 1 key 0 : r0\n")};
    const Flow flow(
        patterns, [](Rank rank, std::uint32_t) { return std::uint64_t{rank == 0 ? 5000U : 2500U}; },
        {});
    Costs slow = kCosts;
    slow.injection_byte = 5e-9;
    const Evaluation evaluation = evaluate(flow, Cluster{{0, 0, 1, 1}, {2, 2}}, slow);
    EXPECT_NEAR(evaluation.finished[2],
                37.5e-6 + slow.phase_latency + half(slow[Link::network], 5000), kExact);
    EXPECT_NEAR(evaluation.finished[3],
                25e-6 + slow.phase_latency + half(slow[Link::network], 2500), kExact);
}

// A block of 40 bytes from rank 0 through all others to the last.
Flow chain(Rank ranks)
{
    std::vector<Pattern> patterns;
    for (Rank rank = 0; rank < ranks; ++rank) {
        const std::string before = std::to_string(rank - 1), after = std::to_string(rank + 1);
        std::string text = "pattern rank " + std::to_string(rank) + " one_per_edge staging 1\n";
        const bool last = rank == ranks - 1;
        if (rank > 0) {
            text += "receive combined 1 peer " + before + " key 0 : " + (last ? "r0\n" : "t0\n");
        }
        if (!last) {
            text += "send combined 1 peer " + after + " key 0 : " + (rank == 0 ? "s0\n" : "t0\n");
        }
        patterns.push_back(from_text(text));
    }
    return Flow(patterns, equal_bytes(40), FlowLimits{100, 100});
}

TEST(Evaluation, RelaysWaitForWhatTheyPassOn)
{
    for (const Rank ranks : {2, 3, 10}) {
        const auto all = static_cast<std::size_t>(ranks);
        const Cluster node{std::vector<std::int32_t>(all, 0), {ranks}};
        EXPECT_NEAR(evaluate(chain(ranks), node, kCosts).seconds,
                    (ranks - 1) * (2 * half(kCosts[Link::node], 40) + kCosts.phase_latency),
                    kExact);
        Cluster nodes{{}, std::vector<int>(all, 1)};
        for (Rank rank = 0; rank < ranks; ++rank) {
            nodes.node_of.push_back(rank);
        }
        EXPECT_NEAR(evaluate(chain(ranks), nodes, kCosts).seconds,
                    (ranks - 1) * (2 * half(kCosts[Link::network], 40) + kCosts.phase_latency),
                    kExact);
        // One core for all: each rank has it once, and the next takes it over.
        const Cluster core{std::vector<std::int32_t>(all, 0), {1}};
        EXPECT_NEAR(evaluate(chain(ranks), core, kCosts).seconds,
                    (ranks - 1) * (2 * half(kCosts[Link::node], 40) + kCosts.phase_latency),
                    kExact);
    }
}

TEST(Evaluation, PackedMessagesAreCopiedTogetherAndApart)
{
    const std::vector<Pattern> patterns{from_text("pattern rank 0 one_per_edge staging 0\n"
                                                  "send combined 1 peer 1 key 0 : s0 s1 s2\n"),
                                        from_text("pattern rank 1 one_per_edge staging 1\n"
                                                  "receive combined 1 peer 0 key 0 : r0 r1 t0\n"
                                                  "copy direct 3 peer -1 key 0 : t0 r2\n")};
    const Flow flow(patterns, equal_bytes(20), FlowLimits{100, 100});
    for (const bool shared : {false, true}) {
        const Cluster cluster{{0, 0}, {shared ? 1 : 2}};
        // A block that stays in staging is copied once, to its slot.
        const double ends = kCosts[Link::node].message + 60 * kCosts[Link::node].byte
                            + (60 + 40 + 20) * kCosts.copy_byte;
        const double per_block = (3 + 2) * per_block_overhead(kCosts, shared) / 2;
        EXPECT_NEAR(evaluate(flow, cluster, kCosts).seconds,
                    ends + per_block + kCosts.phase_latency, kExact);
    }
    EXPECT_GT(per_block_overhead(kCosts, false), 0);
    EXPECT_GT(per_block_overhead(kCosts, true), per_block_overhead(kCosts, false));
}

TEST(Evaluation, SelfEdgesAreCopiedWhenThereIsNothingElseToDo)
{
    Lists lists(2);
    lists.add(0, 0);
    lists.add(0, 1);
    const Evaluation evaluation = evaluate(direct(lists, 100), kOneNode, kCosts);
    EXPECT_NEAR(evaluation.finished[0], half(kCosts[Link::node], 100) + 100 * kCosts.copy_byte,
                kExact);
    EXPECT_NEAR(evaluation.finished[1], 2 * half(kCosts[Link::node], 100) + kCosts.phase_latency,
                kExact)
        << "which delays nobody";
}

TEST(Evaluation, ACoreGoesOverFromRankToRank)
{
    Lists lists(2);
    lists.add(0, 1);
    lists.add(1, 0);
    const Cluster core{{0, 0}, {1}};
    const double o = half(kCosts[Link::node], 40);
    // Rank 0 sends; rank 1 gets the core, sends and receives; rank 0 gets it back and receives.
    const Evaluation evaluation = evaluate(direct(lists, 40), core, kCosts);
    EXPECT_NEAR(evaluation.finished[1], o + kCosts.phase_latency + 2 * o, kExact);
    EXPECT_NEAR(evaluation.finished[0], o + kCosts.phase_latency + 2 * o + kCosts.phase_latency + o,
                kExact);
    EXPECT_EQ(evaluation.seconds, evaluation.finished[0]);
    // With a core each, both wait for a message of the other instead.
    EXPECT_NEAR(evaluate(direct(lists, 40), kOneNode, kCosts).seconds, 2 * o + kCosts.phase_latency,
                kExact);
    // A node that is not oversubscribed uses the same model: no latency, and no switch.
    Lists apart(3);
    apart.add(2, 0);
    const Cluster mixed{{0, 0, 1}, {1, 1}};
    EXPECT_NEAR(evaluate(direct(apart, 40), mixed, kCosts).seconds,
                2 * half(kCosts[Link::network], 40), kExact);
}

TEST(Evaluation, RanksWithACoreEachNeverGoOver)
{
    // Node 0 is oversubscribed; on node 1 all three ranks have cores, and answer again and again.
    Lists lists(7);
    for (const Rank to : {4, 5, 6}) {
        for (Rank from = 0; from < 4; ++from) {
            lists.add(from, to);
            lists.add(to, from);
        }
    }
    std::vector<Interval> timeline;
    evaluate(direct(lists, 40), Cluster{{0, 0, 0, 0, 1, 1, 1}, {1, 3}}, kCosts, &timeline);
    int there = 0;
    for (const Interval &interval : timeline) {
        if (interval.activity == Activity::context_switch) {
            EXPECT_LT(interval.rank, 4);
            ++there;
        }
    }
    EXPECT_GE(there, 3);
}

TEST(Evaluation, NoMessagesTakeNoTime)
{
    const Evaluation evaluation = evaluate(direct(Lists(2), 8), kTwoNodes, kCosts);
    EXPECT_EQ(evaluation.seconds, 0);
    EXPECT_EQ(evaluation.finished, (std::vector<double>{0, 0}));
    EXPECT_EQ(evaluate(Flow({}, equal_bytes(1), {}), Cluster{}, kCosts).seconds, 0);
}

// Two ranks that each pass on the data of the other, and have a block for each other.
TEST(Evaluation, MessagesThatWaitForEachOtherAreRefused)
{
    const std::vector<Pattern> patterns{from_text("pattern rank 0 one_per_edge staging 1\n"
                                                  "receive combined 1 peer 1 key 0 : t0 r0\n"
                                                  "send combined 1 peer 1 key 0 : s0 t0\n"),
                                        from_text("pattern rank 1 one_per_edge staging 1\n"
                                                  "receive combined 1 peer 0 key 0 : t0 r0\n"
                                                  "send combined 1 peer 0 key 0 : s0 t0\n")};
    const Flow flow(patterns, equal_bytes(8), FlowLimits{100, 100});
    ASSERT_EQ(flow.messages().size(), 2U);
    EXPECT_EQ(flow.depth(), 0) << "nothing can begin";
    try {
        evaluate(flow, kOneNode, kCosts);
        ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument &error) {
        EXPECT_STREQ(error.what(), "messages wait for each other forever");
    }
}

TEST(Evaluation, TheClusterMustFit)
{
    const Flow flow = one_message(8);
    const struct {
        Cluster cluster;
        const char *message;
    } cases[] = {
        {{{0}, {1}}, "the cluster has 1 ranks, the pattern 2"},
        {{{0, 0, 0}, {1}}, "the cluster has 3 ranks, the pattern 2"},
        {{{0, 1}, {1}}, "a rank runs on a node without cores"},
        {{{0, -1}, {1}}, "a rank runs on a node without cores"},
        {{{0, 0}, {0}}, "a rank runs on a node without cores"},
        {{{0, 0}, {2}, {Place{}}}, "the cluster has places for 1 of its 2 ranks"},
    };
    for (const auto &c : cases) {
        try {
            evaluate(flow, c.cluster, kCosts);
            ADD_FAILURE() << c.message;
        } catch (const std::invalid_argument &error) {
            EXPECT_STREQ(error.what(), c.message);
        }
    }
}

} // namespace
} // namespace nbrhood::test
