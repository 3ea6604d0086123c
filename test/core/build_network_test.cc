// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of builds between ranks in one process, and their counts in nbrhood-builds.
#include <gtest/gtest.h>

#include "analysis/build_network.h"
#include "nbrhood-builds/simulation.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::builds::greatest_distance;
using nbrhood_tools::builds::simulate;
using nbrhood_tools::builds::SimulationReport;
using nbrhood_tools::builds::SimulationSettings;
using Words = BuildNetwork::Words;

TEST(BuildNetwork, MessagesWaitUntilTheyAreExpected)
{
    BuildNetwork network(2, BuildNetwork::Order::by_round);
    network.send(0, 1, Channel::step, {1});
    network.send(0, 1, Channel::step, {2, 3});
    network.expect(0, 1, Channel::wave);
    EXPECT_FALSE(network.take());
    network.expect(0, 1, Channel::step);
    network.expect(0, 1, Channel::step);
    const auto first = network.take();
    const auto second = network.take();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(*first->words, Words({1}));
    EXPECT_EQ(*second->words, Words({2, 3}));
    EXPECT_EQ(second->from, 0);
    EXPECT_EQ(second->to, 1);
    EXPECT_FALSE(network.take());
    EXPECT_FALSE(network.is_empty()) << "a wave is still expected";
    network.send(0, 1, Channel::wave, {});
    EXPECT_TRUE(network.take());
    EXPECT_TRUE(network.is_empty());
    EXPECT_EQ(network.sent(), 3);
    EXPECT_EQ(network.counts(0)[1].bytes_sent, 12);
    EXPECT_EQ(network.counts(1)[1].bytes_received, 12);
}

// 0 -> 1 -> 2 is a chain; the message 0 -> 2 that was sent after it began comes before its end.
TEST(BuildNetwork, ByRound)
{
    BuildNetwork network(3, BuildNetwork::Order::by_round);
    for (const auto &[from, to] : {std::pair(0, 1), std::pair(1, 2), std::pair(0, 2)}) {
        network.expect(from, to, Channel::step);
    }
    network.send(0, 1, Channel::step, {1});
    ASSERT_EQ(network.take()->to, 1);
    network.send(1, 2, Channel::step, {2});
    network.send(0, 2, Channel::step, {3});
    EXPECT_EQ(network.take()->from, 0);
    EXPECT_EQ(network.take()->from, 1);
    EXPECT_EQ(network.counts(0)[1].rounds, 1);
    EXPECT_EQ(network.counts(1)[1].rounds, 2);
}

TEST(BuildNetwork, WhatIsPassedOnIsInMemoryOnce)
{
    BuildNetwork network(3, BuildNetwork::Order::by_round);
    network.expect(0, 1, Channel::step);
    network.expect(1, 2, Channel::step);
    network.send(0, 1, Channel::step, {4, 5});
    const auto first = network.take();
    network.send(1, 2, Channel::step, {4, 5});
    EXPECT_EQ(network.take()->words, first->words);
}

Graph pair_of_ranks()
{
    Lists lists(2);
    lists.add(0, 1);
    lists.add(1, 0);
    return match(lists);
}

// Counted by hand. One rank sends its wave and the result, the other one the answer to that wave,
// with a summary, and the result; both tell each other where they run; then the survey of one
// goes to the other, and the sum of both comes back.
TEST(SimulatedBuilds, TwoRanks)
{
    SimulationSettings settings;
    settings.choice = find_choice("direct");
    const SimulationReport report = simulate(pair_of_ranks(), make_machine({1, 1}), settings);
    EXPECT_EQ(report.stopped, "");
    EXPECT_EQ(report.found, "nothing");
    EXPECT_EQ(report.waves.messages, 4);
    EXPECT_EQ(report.waves.messages_of_busiest, 2);
    constexpr int kWave = 28;
    constexpr int kSurvey = 128;
    constexpr int kAnswer = kWave + kSurvey + 5 * 8 + 2 * 5 * 16;
    EXPECT_EQ(report.waves.bytes, kWave + kAnswer + 2 * 16);
    EXPECT_EQ(report.waves.rounds, 4);
    EXPECT_EQ(report.all.messages, 8);
    EXPECT_EQ(report.all.messages_of_busiest, 4);
    EXPECT_EQ(report.all.bytes_sent_by_busiest, kAnswer + 16 + 20 + kSurvey);
    EXPECT_EQ(report.all.bytes_received_by_busiest, kAnswer + 16 + 20 + kSurvey);
    EXPECT_EQ(report.all.rounds, 5);
    EXPECT_GE(report.bytes_held, 128);
    EXPECT_LT(report.bytes_held, 1 << 16);
}

// On one node ranks only find each other.
TEST(SimulatedBuilds, OneNode)
{
    const SimulationReport report = simulate(pair_of_ranks(), make_machine({2}), {});
    EXPECT_EQ(report.all.messages, report.waves.messages);
    EXPECT_EQ(report.all.bytes, report.waves.bytes);
    EXPECT_EQ(report.all.rounds, 4);
}

// The waves are the same whatever the build finds: those of a run that was not stopped.
TEST(SimulatedBuilds, StoppedWhereMemoryEnds)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, 24, 0.5));
    const Machine machine = make_machine({6, 6, 6, 6});
    SimulationSettings settings;
    settings.choice = find_choice("aggregated");
    const SimulationReport whole = simulate(graph, machine, settings);
    EXPECT_EQ(whole.stopped, "");
    EXPECT_EQ(whole.found, "aggregated");
    EXPECT_GT(whole.all.messages, whole.waves.messages);
    settings.most_bytes = 1;
    const SimulationReport stopped = simulate(graph, machine, settings);
    EXPECT_NE(stopped.stopped, "");
    EXPECT_EQ(stopped.waves.messages, whole.waves.messages);
    EXPECT_EQ(stopped.waves.rounds, whole.waves.rounds);
}

TEST(GreatestDistance, OfTheWidestComponent)
{
    EXPECT_EQ(greatest_distance(cartesian_graph({9}, {true})), 4);
    EXPECT_EQ(greatest_distance(cartesian_graph({4, 5}, {false, false})), 7);
    Lists lists(7); // a path of three ranks, one of two in one direction only, two ranks alone
    lists.add(0, 1);
    lists.add(2, 1);
    lists.add(4, 5);
    EXPECT_EQ(greatest_distance(match(lists)), 2);
}

} // namespace
} // namespace nbrhood::test
