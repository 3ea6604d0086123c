// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Properties of the cost model that hold for all costs.
#include <gtest/gtest.h>

#include "algorithms/aggregated/aggregated.h"
#include "flow_support.h"
#include "select/model.h"

namespace nbrhood::test {
namespace {

Load random_load(Random &random, int most)
{
    Load load;
    for (const Link link : {Link::socket, Link::node, Link::network}) {
        const int messages = draw(random, 0, most);
        load.add(link, link != Link::network, messages, messages * draw(random, 1, 4));
    }
    return load;
}

// Messages inside nodes and between them, with equally many blocks.
Load load_of(std::int64_t inside, std::int64_t network, std::int64_t blocks_inside,
             std::int64_t blocks_network)
{
    Load load;
    load.add(Link::node, true, inside, blocks_inside);
    load.add(Link::network, false, network, blocks_network);
    return load;
}

Load load_of(std::int64_t inside, std::int64_t network)
{
    return load_of(inside, network, inside, network);
}

Traffic random_traffic(Random &random)
{
    Traffic traffic;
    traffic.direct = random_load(random, 1000);
    traffic.relayed = random_load(random, 500);
    traffic.busiest_direct = random_load(random, 60);
    traffic.busiest_relayed = random_load(random, 60);
    traffic.leaving_direct = draw(random, 0, 400);
    traffic.leaving_relayed = draw(random, 0, 400);
    traffic.phases = draw(random, 2, 6);
    return traffic;
}

Facts random_facts(Random &random)
{
    Facts facts;
    facts.ranks_with_edges = draw(random, 1, 100);
    facts.edges_network = facts.edges_nonlocal = draw(random, 0, 1000);
    facts.edges = facts.edges_nonlocal + draw(random, 0, 100);
    facts.busiest_network = facts.busiest_nonlocal = draw(random, 0, 30);
    facts.busiest_edges = facts.busiest_nonlocal + draw(random, 0, 30);
    facts.regions = draw(random, 1, 4);
    facts.ranks_per_core = draw(random, 1, 32) / 4.0;
    return facts;
}

TEST(Model, MoreTrafficIsNeverCheaper)
{
    for (int seed = 0; seed < scaled(3000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Costs costs = random_costs(random);
        const Facts facts = random_facts(random);
        const Traffic traffic = random_traffic(random);
        const double bytes = draw(random, 0, 1000);
        Traffic more = traffic;
        more.direct.add(Link::network, false, draw(random, 0, 9), 0);
        more.direct.add(Link::node, true, 0, draw(random, 0, 9));
        more.busiest_direct.add(Link::socket, true, draw(random, 0, 9), 0);
        more.leaving_direct += draw(random, 0, 9);
        // Short messages only: between the protocols costs may fall.
        Costs one = costs;
        one.protocol_switch = 1e12;
        EXPECT_LE(direct_seconds(traffic, facts, one, bytes),
                  direct_seconds(more, facts, one, bytes));
        EXPECT_LE(relayed_seconds(traffic, facts, one, bytes, 1e9),
                  relayed_seconds(traffic, facts, one, bytes + 1, 1e9));
        Facts oversubscribed = facts;
        oversubscribed.ranks_per_core *= 2;
        EXPECT_LE(direct_seconds(traffic, facts, costs, bytes),
                  direct_seconds(traffic, oversubscribed, costs, bytes));
        if (pays(traffic, facts, one, kSmallBlock, kSmallBlock)) {
            EXPECT_TRUE(pays(more, facts, one, kSmallBlock, kSmallBlock));
        }
        // Ranks that share a core wait once for each of them, so direct messages may save more.
        Facts apart = facts;
        apart.ranks_per_core = 1;
        if (pays(traffic, apart, one, kSmallBlock, kSmallBlock)) {
            Costs cheaper = one;
            cheaper.phase_latency *= 0.5;
            EXPECT_TRUE(pays(traffic, apart, cheaper, kSmallBlock, kSmallBlock))
                << "direct messages have fewer phases";
        }
    }
}

TEST(Model, PredictsWhatTheCostsSay)
{
    // A rank alone on its core that sends 3 local and 2 non-local messages, and receives as many.
    const Costs costs =
        make_costs({1e-6, 1e-9, 5e-6, 1e-9}, {4e-6, 2e-9, 9e-6, 3e-9}, 100, 1e-9, 0, 7e-6);
    Facts facts;
    facts.ranks_with_edges = 8;
    Traffic traffic;
    traffic.direct = load_of(24, 16, 24, 16);
    traffic.busiest_direct = load_of(6, 4, 6, 4);
    EXPECT_NEAR(direct_seconds(traffic, facts, costs, 10), 7e-6 + 3e-6 + 3e-8 + 8e-6 + 4e-8, 1e-12);
    EXPECT_NEAR(direct_seconds(traffic, facts, costs, 101),
                7e-6 + 15e-6 + 3.03e-7 + 18e-6 + 2 * 101 * 3e-9, 1e-12);
    // The node's network is slower than its ranks together: their receives come after the network's
    // time.
    traffic.leaving_direct = 1000;
    EXPECT_NEAR(direct_seconds(traffic, facts, costs, 10),
                7e-6 + 3e-6 + 3e-8 + 1e-5 + (8e-6 + 4e-8) / 2, 1e-12);
    // The busiest rank has most of its messages on one link: no rank has the maximum on both.
    traffic.leaving_direct = 0;
    traffic.busiest_direct.all_messages = traffic.busiest_direct.all_blocks = 7;
    EXPECT_NEAR(direct_seconds(traffic, facts, costs, 10), 7e-6 + (3e-6 + 3e-8) / 2 + 8e-6 + 4e-8,
                1e-12);
    traffic.busiest_direct.all_messages = traffic.busiest_direct.all_blocks = 10;
    // Four ranks share a core.
    traffic.leaving_direct = 0;
    facts.ranks_per_core = 4;
    EXPECT_NEAR(direct_seconds(traffic, facts, costs, 10), 4 * (7e-6 + 3e-6 + 3e-8 + 8e-6 + 4e-8),
                1e-12);
    // One of these ranks has more to do.
    traffic.busiest_direct = load_of(12, 4, 12, 4);
    EXPECT_NEAR(direct_seconds(traffic, facts, costs, 0),
                4 * (7e-6 + 8e-6 + 1e-6 * (0.65 * 3 + 0.35 * 6)), 1e-12);
    // Through relays: three phases, and the busiest rank copies blocks.
    Costs copying = costs;
    copying.copy_byte = 1e-8;
    facts.ranks_per_core = 1;
    traffic.relayed = load_of(16, 8, 16, 8);
    traffic.busiest_relayed = load_of(4, 2, 8, 6);
    traffic.busiest_relayed.copies = 9;
    traffic.phases = 3;
    EXPECT_NEAR(relayed_seconds(traffic, facts, copying, 10, 10),
                3 * 7e-6 + 2e-6 + 4e-8 + 4e-6 + 6e-8 + 9 * (1e-7 + 0.025e-6), 1e-12);
    // Unpacked blocks: messages of their own, no copies.
    EXPECT_NEAR(relayed_seconds(traffic, facts, copying, 10, 9),
                3 * 7e-6 + 4e-6 + 4e-8 + 12e-6 + 6e-8, 1e-12);
    // On shared cores every block is copied twice at each step, or follows a message.
    facts.ranks_per_core = 4;
    EXPECT_NEAR(relayed_seconds(traffic, facts, copying, 10, 10),
                4 * (7e-6 + 2e-6 + 2e-8 + 4e-6 + 2e-8 + 3 * (2e-7 + 0.25e-6)), 1e-12);
    EXPECT_NEAR(relayed_seconds(traffic, facts, copying, 10, 9),
                4 * (7e-6 + 4e-6 + 2e-8 + 8e-6 + 2e-8), 1e-12);
}

// Whether two steps may pay with small blocks.
bool two_steps_may_pay(const Facts &facts, const Costs &costs)
{
    const std::optional<Traffic> least = least_in_two_steps(facts);
    return least && may_pay(*least, facts, costs, kSmallBlock, kSmallBlock);
}

TEST(Model, BuildsNothingWhereNothingCanBeGained)
{
    Facts facts;
    facts.ranks_with_edges = 8;
    facts.edges = facts.edges_nonlocal = facts.edges_network = 8000;
    facts.busiest_edges = facts.busiest_nonlocal = facts.busiest_network = 1000;
    EXPECT_FALSE(two_steps_may_pay(facts, default_costs())) << "a single region";
    facts.regions = 2;
    EXPECT_TRUE(two_steps_may_pay(facts, default_costs()));
    facts.edges_nonlocal = facts.busiest_nonlocal = 0;
    facts.edges_network = facts.busiest_network = 0;
    EXPECT_FALSE(two_steps_may_pay(facts, default_costs())) << "nothing crosses a border";
    EXPECT_FALSE(pays(Traffic{}, facts, default_costs(), kSmallBlock, kSmallBlock))
        << "no gain is not a reason";
    // If the bound says that relaying cannot pay, it does not pay, whatever is relayed.
    for (int seed = 0; seed < scaled(3000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Facts drawn = random_facts(random);
        const Costs costs = random_costs(random);
        if (drawn.regions > 1 && drawn.edges_nonlocal > 0 && !two_steps_may_pay(drawn, costs)) {
            Traffic traffic;
            const std::int64_t local = drawn.edges - drawn.edges_nonlocal;
            traffic.direct = load_of(local, drawn.edges_nonlocal);
            const std::int64_t near = 2 * (drawn.busiest_edges - drawn.busiest_nonlocal);
            const std::int64_t far = 2 * drawn.busiest_nonlocal;
            traffic.busiest_direct = load_of(near, far);
            traffic.phases = draw(random, 2, 6);
            traffic.relayed = random_load(random, 500);
            traffic.busiest_relayed = random_load(random, 60);
            for (Load *load : {&traffic.relayed, &traffic.busiest_relayed}) {
                load->add(Link::network, false, 1, 1);
            }
            EXPECT_FALSE(pays(traffic, drawn, costs, kSmallBlock, kSmallBlock));
        }
    }
}

TEST(Model, TheCombiningThresholdIsWhereRelayingStopsToPay)
{
    for (int seed = 0; seed < scaled(3000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Costs costs = random_costs(random);
        const Facts facts = random_facts(random);
        const Traffic traffic = random_traffic(random);
        const std::size_t limit = std::size_t{1} << draw(random, 8, 22);
        const std::size_t threshold =
            combining_threshold(traffic, facts, costs, kSmallBlock, limit);
        EXPECT_GE(threshold, kLeastThreshold);
        EXPECT_LE(threshold, kGreatestThreshold);
        const auto gains = [&](std::size_t bytes) {
            return relayed_seconds(traffic, facts, costs, static_cast<double>(bytes),
                                   static_cast<double>(limit))
                   < direct_seconds(traffic, facts, costs, static_cast<double>(bytes));
        };
        if (threshold > kLeastThreshold) {
            EXPECT_TRUE(gains(threshold));
        }
        if (threshold < kGreatestThreshold) {
            EXPECT_FALSE(gains(2 * threshold));
        }
    }
}

// Above P, or at the change of protocol, a size may lose a little between sizes that gain.
TEST(Model, SmallLossesDoNotEndTheCombiningThreshold)
{
    int small_losses = 0;
    for (int seed = 0; seed < scaled(3000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Costs costs = random_costs(random);
        const Facts facts = random_facts(random);
        const Traffic traffic = random_traffic(random);
        const double limit = 1 << draw(random, 8, 22);
        const std::size_t threshold = combining_threshold(traffic, facts, costs, kSmallBlock,
                                                          static_cast<std::size_t>(limit));
        bool ended = false;
        for (std::size_t bytes = 2 * kLeastThreshold; bytes <= kGreatestThreshold; bytes *= 2) {
            const auto block = static_cast<double>(bytes);
            const double relayed = relayed_seconds(traffic, facts, costs, block, limit);
            const double direct = direct_seconds(traffic, facts, costs, block);
            ended = ended || 0.9 * relayed >= direct;
            if (bytes <= threshold) {
                EXPECT_FALSE(ended) << bytes;
                small_losses += relayed >= direct ? 1 : 0;
            } else {
                EXPECT_TRUE(ended || relayed >= direct) << bytes;
            }
        }
    }
    EXPECT_GT(small_losses, 0);
}

TEST(Model, ExpectedBlocksThatGainAreCombined)
{
    int large = 0;
    for (int seed = 0; seed < scaled(3000); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Costs costs = random_costs(random);
        const Facts facts = random_facts(random);
        const Traffic traffic = random_traffic(random);
        const std::size_t limit = std::size_t{1} << draw(random, 8, 22);
        const double block = draw(random, 1, 1 << draw(random, 0, 20));
        const std::size_t threshold = combining_threshold(traffic, facts, costs, block, limit);
        if (pays(traffic, facts, costs, block, static_cast<double>(limit))) {
            EXPECT_GE(static_cast<double>(threshold), block);
            large += block > static_cast<double>(kLeastThreshold) ? 1 : 0;
        } else {
            EXPECT_EQ(threshold, combining_threshold(traffic, facts, costs, kSmallBlock, limit));
        }
        EXPECT_LE(threshold, kGreatestThreshold);
    }
    EXPECT_GT(large, 0);
}

TEST(Traffic, SurvivesAMessage)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        Traffic traffic = random_traffic(random);
        traffic.direct.add(Link::die_pair, false, std::int64_t{draw(random, 0, 1000)} << 31, 7);
        traffic.busiest_direct.all_blocks -= 1;
        traffic.busiest_relayed.copies = draw(random, 0, 1000);
        WordWriter words;
        traffic.encode_relayed(words);
        traffic.encode_direct(words);
        WordReader reader(words.words());
        Traffic taken;
        taken.take_relayed(reader);
        taken.take_direct(reader);
        EXPECT_EQ(reader.left(), 0U);
        EXPECT_EQ(words_of(taken), words_of(traffic));
        EXPECT_EQ(taken.direct.local(), traffic.direct.local());
        EXPECT_EQ(taken.relayed.all_blocks, traffic.relayed.all_blocks);
    }
}

} // namespace
} // namespace nbrhood::test
