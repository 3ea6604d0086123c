// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The choices of `auto` among several algorithms: equal on all ranks, and those of the model.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/leader_scatter/leader_scatter.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr std::size_t kAlltoallv = static_cast<std::size_t>(Collective::neighbor_alltoallv);
constexpr std::size_t kAlltoall = static_cast<std::size_t>(Collective::neighbor_alltoall);
constexpr std::size_t kAllgather = static_cast<std::size_t>(Collective::neighbor_allgather);

int choice(const char *name)
{
    return find_choice(name);
}

Settings automatic()
{
    Settings settings;
    settings.choice.fill(kAuto);
    return settings;
}

const Expectation *expectation_of(const Topology &topology, int choice, BlockKind kind)
{
    const auto found = std::find_if(topology.expected.begin(), topology.expected.end(),
                                    [&](const Expectation &expected) {
                                        return expected.choice == choice && expected.kind == kind;
                                    });
    return found == topology.expected.end() ? nullptr : &*found;
}

// 12 ranks on 3 nodes, and one without edges.
Graph graph_with_hermit(std::uint64_t seed)
{
    Random random(seed);
    Lists lists = dense_lists(random, 12, 0.9);
    lists.sources.emplace_back();
    lists.destinations.emplace_back();
    return match(lists);
}

const std::vector<int> kNodes{4, 4, 5};

// The choice for alltoallv that follows from the predictions of a rank with edges.
int best_of(const Topology &topology, BlockKind kind)
{
    int best = kDirectChoice;
    double seconds = 0;
    for (const Expectation &expected : topology.expected) {
        if (expected.kind == kind && expected.relayed_seconds < 0.9 * expected.direct_seconds
            && (best == kDirectChoice || expected.relayed_seconds < seconds)) {
            best = expected.choice;
            seconds = expected.relayed_seconds;
        }
    }
    return best;
}

// Costs from free to expensive make each choice the best somewhere.
TEST(EngineAuto, ChoosesWhatTheModelFindsFastest)
{
    std::array<int, 8> chosen{};
    for (int seed = 0; seed < 60 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        Settings settings = automatic();
        settings.costs.phase_latency = 1e-6 * draw(random, 0, 8);
        settings.costs[Link::node].message = 1e-7 * draw(random, 1, 20);
        settings.costs[Link::network].message = 1e-7 * draw(random, 10, 60);
        settings.values.set(kBlockBytes, static_cast<std::size_t>(draw(random, 0, 3)) * 1000);
        const Created created = create_all(graph_with_hermit(static_cast<std::uint64_t>(seed)),
                                           make_machine(kNodes), settings);
        EXPECT_LE(created.topologies[0].synchronisations, 2);
        EXPECT_FALSE(created.mail_left);
        const Topology &hermit = created.topologies[12];
        EXPECT_TRUE(hermit.expected.empty());
        const std::size_t bytes = std::max<std::size_t>(8, settings.values.get(kBlockBytes));
        for (std::size_t r = 0; r < 12; ++r) {
            for (std::size_t c = 0; c < kCollectives; ++c) {
                const Served &served = served_at(created.topologies[r].served[c], bytes);
                const BlockKind kind = kind_of(static_cast<Collective>(c));
                EXPECT_EQ(served.choice, served_at(hermit.served[c], bytes).choice);
                EXPECT_EQ(served.reason, served_at(hermit.served[c], bytes).reason);
                if (created.topologies[r].synchronisations == 1) {
                    EXPECT_EQ(served.choice, kDirectChoice);
                    continue;
                }
                EXPECT_EQ(served.choice, best_of(created.topologies[r], kind));
                ASSERT_NE(served.program, nullptr);
                EXPECT_EQ(served.program->one_message_per_edge(), served.choice == kDirectChoice);
                if (served.choice != kDirectChoice) {
                    EXPECT_EQ(served.reason, Reason::gain);
                    EXPECT_GE(served.combining_threshold, settings.values.get(kBlockBytes));
                    EXPECT_EQ(served.combining_threshold,
                              served.most != kAnySize
                                  ? served.most
                                  : expectation_of(created.topologies[r], served.choice, kind)
                                        ->combining_threshold);
                }
            }
        }
        ++chosen.at(static_cast<std::size_t>(hermit.served[kAlltoallv].front().choice));
    }
    for (const char *name : {"direct", "aggregated", "two_step"}) {
        EXPECT_GT(chosen.at(static_cast<std::size_t>(choice(name))), 0) << name << " never wins";
    }
}

// With costs of InfiniBand: the fewest messages for small blocks; for larger ones fewer copies, and
// above P, where blocks are messages of their own, none. (On four of these nodes two steps are
// faster for small blocks, too.)
TEST(EngineAuto, TakesTwoStepsForLargerBlocks)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, 64, 0.9));
    const Machine machine = make_machine({8, 8, 8, 8, 8, 8, 8, 8});
    for (const auto &[bytes, expected] : {std::pair<std::size_t, const char *>{0, "aggregated"},
                                          {1000, "two_step"},
                                          {10000, "direct"}}) {
        Settings settings = automatic();
        settings.values.set(kBlockBytes, bytes);
        const Created created = create_all(graph, machine, settings);
        for (const Topology &topology : created.topologies) {
            EXPECT_EQ(served_at(topology.served[kAlltoall], std::max<std::size_t>(8, bytes)).choice,
                      choice(expected))
                << bytes;
        }
        EXPECT_EQ(created.topologies[0].synchronisations, 2);
    }
}

TEST(EngineAuto, TakesNoTwoStepsWhereRanksShareCores)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, 32, 0.9));
    for (double ranks_per_core : {1.0, 4.0}) {
        Settings settings = automatic();
        settings.values.set(kBlockBytes, 1000);
        settings.ranks_per_core = ranks_per_core;
        const Created created = create_all(graph, make_machine({8, 8, 8, 8}), settings);
        for (const Topology &topology : created.topologies) {
            EXPECT_EQ(served_at(topology.served[kAlltoall], 1000).choice == choice("two_step"),
                      ranks_per_core == 1.0);
        }
    }
}

TEST(EngineAuto, SendsBlocksTooLargeToCombineDirect)
{
    Random random(5);
    const Graph graph = match(dense_lists(random, 12, 0.9));
    for (std::size_t threshold : {std::size_t{0}, std::size_t{5000}}) {
        Settings settings = automatic();
        settings.values.set(kCombiningThreshold, threshold);
        settings.values.set(kScatterAbove, std::size_t{1} << 30);
        settings.values.set(kBlockBytes, (threshold != 0 ? threshold : kGreatestThreshold) + 1);
        const Created created = create_all(graph, make_machine({6, 6}), settings);
        for (const Topology &topology : created.topologies) {
            EXPECT_EQ(topology.served[kAllgather].front().choice, kDirectChoice);
            EXPECT_EQ(topology.served[kAllgather].front().reason, Reason::blocks_too_large);
            EXPECT_EQ(topology.synchronisations, 1) << "nothing was built";
        }
    }
}

// Named algorithms, and auto beside them, in one run.
TEST(EngineAuto, AlgorithmsThatAreNamedAreBuiltBesideTheBest)
{
    for (double phase : {0.0, 1.0}) { // seconds: relaying pays, or not
        Settings settings = automatic();
        settings.costs.phase_latency = phase;
        settings.choice[kAlltoall] = choice("two_step");
        settings.choice[kAlltoallv] = choice("aggregated");
        const Created created = create_all(graph_with_hermit(6), make_machine(kNodes), settings);
        EXPECT_EQ(created.topologies[0].synchronisations, 2);
        EXPECT_FALSE(created.mail_left);
        for (std::size_t r = 0; r < 13; ++r) {
            const Topology &topology = created.topologies[r];
            EXPECT_EQ(topology.served[kAlltoall].front().choice, choice("two_step"));
            EXPECT_EQ(topology.served[kAlltoallv].front().choice, choice("aggregated"));
            EXPECT_EQ(topology.served[kAlltoallv].front().reason, Reason::parameter);
            EXPECT_NE(topology.served[kAlltoall].front().program,
                      topology.served[kAlltoallv].front().program);
            for (std::size_t c : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
                EXPECT_EQ(topology.served[c].front().choice == kDirectChoice, phase > 0);
                EXPECT_EQ(topology.served[c].front().choice,
                          created.topologies[0].served[c].front().choice);
            }
        }
    }
}

TEST(EngineAuto, AFailureMakesAllDirectWhateverTheDecision)
{
    for (double phase : {0.0, 1e-5}) {
        for (int step : {0, 1}) {
            Settings settings = automatic();
            settings.costs.phase_latency = phase;
            settings.fail_rank = 0;
            settings.fail_step = step;
            const Created created =
                create_all(graph_with_hermit(7), make_machine(kNodes), settings);
            for (const Topology &topology : created.topologies) {
                if (topology.synchronisations == 1) {
                    EXPECT_EQ(topology.served[0].front().choice, kDirectChoice);
                    continue;
                }
                EXPECT_EQ(topology.diagnostic, Diagnostic::cannot_build);
                for (const ServedSizes &served : topology.served) {
                    ASSERT_EQ(served.size(), 1U);
                    EXPECT_EQ(served.front().choice, kDirectChoice);
                    EXPECT_EQ(served.front().reason, Reason::cannot_build);
                }
            }
        }
    }
}

} // namespace
} // namespace nbrhood::test
