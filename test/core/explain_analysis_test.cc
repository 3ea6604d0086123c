// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of nbrhood-explain for a graph: compared with counts by hand, and with the engine's
// decisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "algorithms/common_neighbor/common_neighbor.h"
#include "nbrhood-explain/analysis.h"
#include "nbrhood-explain/answer.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::explain::AlgorithmReport;
using nbrhood_tools::explain::Amount;
using nbrhood_tools::explain::AnalysisSettings;
using nbrhood_tools::explain::between_nodes;
using nbrhood_tools::explain::describe_machine;
using nbrhood_tools::explain::in_node;
using nbrhood_tools::explain::in_socket;
using nbrhood_tools::explain::Layout;
using nbrhood_tools::explain::MachineOptions;
using nbrhood_tools::explain::make_layout;
using nbrhood_tools::explain::Scenario;
using nbrhood_tools::explain::ScenarioReport;
using nbrhood_tools::explain::SizeReport;

Layout layout_of(const std::string &machine, int ranks_per_node = 0)
{
    MachineOptions options;
    options.machine = machine;
    options.ranks_per_node = ranks_per_node;
    return make_layout(describe_machine(options), options);
}

// Every block has one entry.
Scenario scenario_of(Graph graph, BlockKind kind)
{
    Scenario scenario;
    scenario.name = "test";
    scenario.kind = kind;
    for (const Neighbourhood &own : graph) {
        scenario.entries.emplace_back(kind == BlockKind::one_per_rank ? 1 : own.out.size(), 1);
    }
    scenario.graph = std::move(graph);
    return scenario;
}

AnalysisSettings settings_for(std::vector<std::string> algorithms)
{
    AnalysisSettings settings;
    settings.algorithms = std::move(algorithms);
    settings.block_bytes = {10};
    settings.prove = true;
    return settings;
}

ScenarioReport report_on(const Scenario &scenario, const Layout &layout,
                         const AnalysisSettings &settings)
{
    return analyse(scenario, layout, settings, nullptr, [](const std::string &) {});
}

void expect_amount(const Amount &amount, double sum_of_ranks, std::int64_t most)
{
    EXPECT_DOUBLE_EQ(amount.mean, sum_of_ranks / 8);
    EXPECT_EQ(amount.most, most);
}

// Two nodes of two sockets of two cores: ranks 0 1 | 2 3 and 4 5 | 6 7.
class ExplainSmallGraph : public testing::Test {
protected:
    ExplainSmallGraph()
    {
        Lists lists(8);
        lists.add(0, 1); // in a socket
        lists.add(0, 2); // in a node
        lists.add(3, 0);
        lists.add(0, 4); // from node 0 to node 1
        lists.add(0, 5);
        lists.add(1, 4);
        lists.add(1, 6);
        lists.add(2, 7);
        lists.add(5, 0); // from node 1 to node 0
        graph_ = match(lists);
    }

    Layout layout_ = layout_of("node:2 socket:2 core:2");
    Graph graph_;
};

TEST_F(ExplainSmallGraph, DirectIsCountedByDistance)
{
    const ScenarioReport report =
        report_on(scenario_of(graph_, BlockKind::one_per_edge), layout_, settings_for({"direct"}));
    ASSERT_EQ(report.algorithms.size(), 1U);
    EXPECT_TRUE(report.algorithms[0].proved);
    const SizeReport &size = report.algorithms[0].sizes.at(0);
    EXPECT_EQ(size.messages, 9);
    EXPECT_EQ(size.depth, 1);
    expect_amount(size.counts.messages[in_socket], 1, 1);
    expect_amount(size.counts.messages[in_node], 2, 1);
    expect_amount(size.counts.messages[between_nodes], 6, 2); // 0 and 1 send two, 4 receives two
    expect_amount(size.counts.bytes[in_socket], 10, 10);
    expect_amount(size.counts.bytes[in_node], 20, 10);
    expect_amount(size.counts.bytes[between_nodes], 60, 20);
    expect_amount(size.staging_bytes, 0, 0);
    EXPECT_EQ(size.speed_up, 1);
    EXPECT_EQ(report.facts.edges, 9);
    EXPECT_EQ(report.facts.edges_nonlocal, 6);
    EXPECT_EQ(report.facts.busiest_edges, 4);
}

// A node sends one message to each other node, in which each block of a rank appears once.
TEST_F(ExplainSmallGraph, AggregatedIsCountedByDistance)
{
    for (const auto &[kind, bytes] :
         {std::pair<BlockKind, int>{BlockKind::one_per_edge, 60}, {BlockKind::one_per_rank, 40}}) {
        const ScenarioReport report =
            report_on(scenario_of(graph_, kind), layout_, settings_for({"direct", "aggregated"}));
        const AlgorithmReport *direct = report.find("direct");
        const AlgorithmReport *aggregated = report.find("aggregated");
        ASSERT_TRUE(direct != nullptr && aggregated != nullptr);
        EXPECT_TRUE(aggregated->proved);
        const SizeReport &size = aggregated->sizes.at(0);
        expect_amount(size.counts.messages[between_nodes], 2, 1);
        EXPECT_DOUBLE_EQ(size.counts.bytes[between_nodes].mean, bytes / 8.0);
        EXPECT_GT(size.staging_bytes.most, 0);
        EXPECT_DOUBLE_EQ(size.speed_up, direct->sizes.at(0).seconds.events / size.seconds.events);
        EXPECT_EQ(report.bounds.at(0).messages, 2);
        EXPECT_EQ(report.bounds.at(0).bytes, bytes);
    }
}

// Each rank sends one entry of its own to all neighbours: a message carries it once.
TEST_F(ExplainSmallGraph, EqualEntriesOfAMessageAreCountedOnce)
{
    Scenario scenario = scenario_of(graph_, BlockKind::one_per_edge);
    EXPECT_FALSE(report_on(scenario, layout_, settings_for({"direct"}))
                     .algorithms.at(0)
                     .sizes.at(0)
                     .counts.distinct_entries);
    for (const Neighbourhood &own : graph_) {
        scenario.entry_numbers.emplace_back(own.out.size(), std::vector<int>{7});
    }
    const ScenarioReport report =
        report_on(scenario, layout_, settings_for({"direct", "aggregated"}));
    const auto between = [&](const char *name) {
        const auto &counts = report.find(name)->sizes.at(0).counts;
        return counts.distinct_entries.value()[between_nodes];
    };
    expect_amount(between("direct"), 6, 2);
    // To node 1 go five blocks of the ranks 0, 1 and 2, to node 0 one block.
    expect_amount(between("aggregated"), 4, 3);
}

// The messages that each rank sends and receives in a creation add up to the totals.
TEST_F(ExplainSmallGraph, CreationIsCountedByRank)
{
    const ScenarioReport report = report_on(scenario_of(graph_, BlockKind::one_per_rank), layout_,
                                            settings_for({"direct", "aggregated"}));
    EXPECT_EQ(report.find("direct")->creation_messages.most, 0);
    const AlgorithmReport &aggregated = *report.find("aggregated");
    const auto messages = static_cast<double>(aggregated.creation.messages.size());
    EXPECT_GT(messages, 0);
    EXPECT_DOUBLE_EQ(aggregated.creation_messages.mean, messages / 8);
    EXPECT_GT(static_cast<double>(aggregated.creation_messages.most), messages / 8)
        << "leaders have more";
    EXPECT_DOUBLE_EQ(aggregated.creation_bytes.mean,
                     static_cast<double>(aggregated.creation.bytes()) / 8);
}

// All ranks are neighbours: in each node of four any two could be friends, and every rank finds
// one.
TEST(ExplainFriends, AreCounted)
{
    Random random(1);
    const Scenario scenario =
        scenario_of(match(dense_lists(random, 8, 1)), BlockKind::one_per_rank);
    AnalysisSettings settings = settings_for({"direct", "common_neighbor"});
    settings.values.set(kFriendsPerGroup, 2);
    const ScenarioReport report = report_on(scenario, layout_of("node:2 core:4"), settings);
    EXPECT_FALSE(report.find("direct")->friends);
    const std::optional<FriendReport> &friends = report.find("common_neighbor")->friends;
    ASSERT_TRUE(friends);
    EXPECT_EQ(friends->searches, 2);
    EXPECT_EQ(friends->bounded, 0);
    EXPECT_EQ(friends->candidates, 12);
    EXPECT_EQ(friends->groups, 4);
    EXPECT_EQ(friends->steps, 1);
    EXPECT_EQ(friends->least_k, 2);
    EXPECT_EQ(friends->most_k, 2);
    settings.values.set(kFriendsAnywhere, true);
    settings.values.set(kFriendCandidates, 1);
    const ScenarioReport bounded = report_on(scenario, layout_of("node:2 core:4"), settings);
    EXPECT_EQ(bounded.find("common_neighbor")->friends->searches, 1);
    EXPECT_EQ(bounded.find("common_neighbor")->friends->bounded, 1);
    EXPECT_EQ(bounded.find("common_neighbor")->friends->candidates, 0);
    settings.values.set(kFriendsPerGroup, 4); // need more than four common neighbours
    settings.values.set(kFriendCandidates, 1024);
    const ScenarioReport none =
        report_on(scenario_of(match(dense_lists(random, 4, 1)), BlockKind::one_per_rank),
                  layout_of("node:1 core:4"), settings);
    EXPECT_EQ(none.find("common_neighbor")->friends->groups, 0);
    EXPECT_EQ(none.find("common_neighbor")->friends->least_k, 0);
}

TEST_F(ExplainSmallGraph, TimesOfMessagesThatOnlyCostTheirNumber)
{
    AnalysisSettings settings = settings_for({"direct"});
    settings.costs = Costs{};
    settings.costs[Link::socket].message = settings.costs[Link::socket].long_message = 1;
    settings.costs[Link::node].message = settings.costs[Link::node].long_message = 2;
    settings.costs[Link::network].message = settings.costs[Link::network].long_message = 8;
    const ScenarioReport report =
        report_on(scenario_of(graph_, BlockKind::one_per_edge), layout_, settings);
    const SizeReport &size = report.algorithms.at(0).sizes.at(0);
    // Rank 0 is the busiest: one end of a message inside the socket, two inside the node, three of
    // others, each half of the message's cost.
    EXPECT_DOUBLE_EQ(size.seconds.postal, 0.5 + 2 * 1 + 3 * 4);
    EXPECT_DOUBLE_EQ(size.seconds.max_rate, 0.5 + 2 * 1 + 3 * 4);
    EXPECT_DOUBLE_EQ(size.seconds.hockney, 6 * 4);
    EXPECT_GE(size.seconds.events, 14.5);
    // One message out and one in for each node, which four cores share; but one takes both its
    // ends.
    EXPECT_DOUBLE_EQ(report.bounds.at(0).seconds, 8.0);
}

// Four ranks of a node, three of which send to the four of the other.
TEST(ExplainFriends, GroupsAndWhatTheirBoundCosts)
{
    Lists lists(8);
    for (Rank from = 0; from < 3; ++from) {
        lists.add(7, from);
        for (Rank to = 4; to < 8; ++to) {
            lists.add(from, to);
        }
    }
    const Scenario scenario = scenario_of(match(lists), BlockKind::one_per_rank);
    AnalysisSettings settings = settings_for({"direct", "common_neighbor"});
    settings.values.set(kFriendsPerGroup, 3);
    const auto friends_with = [&](int candidates) {
        settings.values.set(kFriendCandidates, candidates);
        const ScenarioReport report =
            report_on(scenario, layout_of("node:2 socket:2 core:2"), settings);
        EXPECT_FALSE(report.find("direct")->friends);
        const AlgorithmReport &algorithm = *report.find("common_neighbor");
        EXPECT_EQ(algorithm.friends->messages, algorithm.sizes[0].messages);
        return *algorithm.friends;
    };
    const FriendReport all = friends_with(1024);
    EXPECT_EQ(all.searches, 2);
    EXPECT_EQ(all.bounded, 0);
    EXPECT_EQ(all.least_k, 3);
    EXPECT_EQ(all.most_k, 3);
    EXPECT_EQ(all.groups, 1);
    EXPECT_EQ(all.messages, 3 + 6 + 4); // of rank 7, to friends, to common neighbours
    EXPECT_EQ(all.exact_messages, 13);
    // No candidates are examined; the paper's matching is the one above.
    const FriendReport few = friends_with(1);
    EXPECT_EQ(few.bounded, 2);
    EXPECT_GE(few.messages, 13);
    EXPECT_EQ(few.exact_messages, 13);
}

TEST_F(ExplainSmallGraph, PicturesGetTrafficAndTimeline)
{
    AnalysisSettings settings = settings_for({"direct"});
    settings.block_bytes = {10, 1000};
    settings.pictures = true;
    const ScenarioReport report =
        report_on(scenario_of(graph_, BlockKind::one_per_edge), layout_, settings);
    const AlgorithmReport &direct = report.algorithms.at(0);
    ASSERT_EQ(direct.bytes_by_rank.rows(), 8U);
    for (std::size_t from = 0; from < 8; ++from) {
        for (std::size_t to = 0; to < 8; ++to) {
            const auto &out = graph_[from].out;
            const bool edge = std::any_of(out.begin(), out.end(), [&](const EdgeEnd &end) {
                return end.peer == static_cast<Rank>(to);
            });
            EXPECT_EQ(direct.bytes_by_rank.at(from, to), edge ? 10 : 0) << from << " to " << to;
            EXPECT_EQ(direct.messages_by_rank.at(from, to), edge ? 1 : 0) << from << " to " << to;
        }
    }
    ASSERT_EQ(direct.bytes_by_node.rows(), 2U);
    EXPECT_EQ(direct.bytes_by_node.at(0, 0), 30);
    EXPECT_EQ(direct.bytes_by_node.at(0, 1), 50);
    EXPECT_EQ(direct.bytes_by_node.at(1, 0), 10);
    EXPECT_EQ(direct.bytes_by_node.at(1, 1), 0);
    EXPECT_EQ(direct.messages_by_node.at(0, 1), 5);
    EXPECT_EQ(direct.messages_by_node.at(1, 0), 1);
    ASSERT_EQ(direct.phases.size(), 1U);
    EXPECT_EQ(direct.phases[0].phase, kLocal);
    EXPECT_EQ(direct.phases[0].begin, 0);
    EXPECT_DOUBLE_EQ(direct.phases[0].end, direct.sizes.at(0).seconds.events);
    double end = 0;
    std::map<Activity, int> number;
    for (const Interval &interval : direct.timeline) {
        end = std::max(end, interval.end);
        ++number[interval.activity];
    }
    EXPECT_DOUBLE_EQ(end, direct.sizes.at(0).seconds.events) << "of the first size";
    EXPECT_EQ(number[Activity::send], 9);
    EXPECT_EQ(number[Activity::receive], 9);
}

TEST_F(ExplainSmallGraph, OwnDecisionOnlyForAlgorithmsThatWereCounted)
{
    AnalysisSettings settings = settings_for({"direct"});
    settings.costs.phase_latency = 0;
    settings.costs[Link::network].message = 1e-3; // there is something to gain
    const ScenarioReport report =
        report_on(scenario_of(graph_, BlockKind::one_per_edge), layout_, settings);
    EXPECT_EQ(report.automatic.text(), "unknown (--algorithms leaves aggregated out)");
}

// A wrong pattern, even one that names blocks that do not exist, is not modelled; patterns built
// anew beside it are.
TEST_F(ExplainSmallGraph, WhatTheProofRefusesIsNotModelled)
{
    AnalysisSettings settings = settings_for({"direct", "aggregated"});
    settings.block_bytes = {10, 100};
    nbrhood_tools::explain::Recording recording;
    recording.algorithm = "direct";
    const Scenario scenario = scenario_of(graph_, BlockKind::one_per_edge);
    recording.patterns =
        build_all(registry().front(), scenario.kind, scenario.graph, layout_.machine, Tuning{})
            .patterns;
    const auto report = [&] {
        return analyse(scenario, layout_, settings, &recording, [](const std::string &) {});
    };
    ASSERT_EQ(report().algorithms.front().name, "recorded direct");
    EXPECT_TRUE(report().algorithms.front().proved);
    EXPECT_EQ(report().algorithms.front().sizes.size(), 2U);

    recording.patterns[0].operations[0].slices[0].block = 1000000;
    const ScenarioReport wrong = report();
    EXPECT_FALSE(wrong.algorithms.front().faults.empty());
    EXPECT_TRUE(wrong.algorithms.front().sizes.empty());
    EXPECT_EQ(wrong.bytes, settings.block_bytes);
    ASSERT_NE(wrong.find("aggregated"), nullptr);
    EXPECT_EQ(wrong.find("aggregated")->sizes.size(), 2U);
    EXPECT_GT(wrong.find("aggregated")->sizes[1].speed_up, 0);
    EXPECT_EQ(wrong.answers.size(), 2U);
    EXPECT_EQ(nbrhood_tools::explain::answer_statements(wrong).back(),
              "recorded direct: not modelled, as the proof refuses it");
}

TEST(ExplainTimeline, ShowsTheFirstRanks)
{
    Random random(1);
    AnalysisSettings settings = settings_for({"direct"});
    settings.pictures = true;
    const ScenarioReport report =
        report_on(scenario_of(match(dense_lists(random, 80, 0.2)), BlockKind::one_per_edge),
                  layout_of("node:4 core:20"), settings);
    std::vector<int> seen(80, 0);
    for (const Interval &interval : report.algorithms.at(0).timeline) {
        seen.at(static_cast<std::size_t>(interval.rank)) = 1;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.begin() + 64, 1), 64);
    EXPECT_EQ(std::count(seen.begin() + 64, seen.end(), 1), 0);
}

std::vector<std::string> every_algorithm()
{
    std::vector<std::string> names;
    for (const Algorithm &row : registry()) {
        names.emplace_back(row.name);
    }
    return names;
}

void expect_equal(const Facts &a, const Facts &b)
{
    EXPECT_EQ(a.ranks_with_edges, b.ranks_with_edges);
    EXPECT_EQ(a.edges, b.edges);
    EXPECT_EQ(a.edges_nonlocal, b.edges_nonlocal);
    EXPECT_EQ(a.busiest_edges, b.busiest_edges);
    EXPECT_EQ(a.busiest_nonlocal, b.busiest_nonlocal);
    EXPECT_EQ(a.edges_network, b.edges_network);
    EXPECT_EQ(a.busiest_network, b.busiest_network);
    EXPECT_EQ(a.regions, b.regions);
    EXPECT_EQ(a.regions_of_node, b.regions_of_node);
    EXPECT_EQ(a.within_regions, b.within_regions);
    EXPECT_EQ(a.ranks_per_core, b.ranks_per_core);
}

// The same facts lead to the same choice for the same reason as when real ranks create a topology.
class ExplainDecision : public testing::TestWithParam<int> {}; // cores of a node of 4 ranks

TEST_P(ExplainDecision, IsThatOfTheEngine)
{
    const Layout layout = layout_of("node:3 core:" + std::to_string(GetParam()), 4);
    std::vector<Place> places;
    for (const std::int32_t node : layout.cluster.node_of) {
        places.push_back(Place{node, {}});
    }
    std::map<std::string, int> decisions;
    int by_size = 0;
    for (int seed = 0; seed < scaled(48) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const Graph graph = match(dense_lists(random, 12, 0.1 * draw(random, 0, 10)));
        Settings engine;
        engine.choice.fill(kAuto);
        engine.costs.phase_latency = 1e-6 * draw(random, 0, 8);
        engine.costs[Link::node].message = 1e-7 * draw(random, 1, 20);
        engine.costs[Link::network].message = 1e-7 * draw(random, 10, 60);
        engine.values.set(kBlockBytes, static_cast<std::size_t>(draw(random, 0, 3)) * 1000);
        engine.values.set(kCombiningThreshold, chance(random, 0.2) ? 2048 : 0);
        engine.ranks_per_core = layout.cluster.ranks_per_core();
        const Created created = create_all(graph, places, std::vector<Settings>(12, engine));

        AnalysisSettings settings = settings_for(every_algorithm());
        settings.costs = engine.costs;
        settings.values = engine.values;
        for (const BlockKind kind : kKinds) {
            const ScenarioReport report = report_on(scenario_of(graph, kind), layout, settings);
            for (std::size_t c = 0; c < kCollectives; ++c) {
                if (kind_of(static_cast<Collective>(c)) != kind) {
                    continue;
                }
                const ServedSizes &sizes = created.topologies[0].served[c];
                if (has_one_count(static_cast<Collective>(c)) && sizes.size() > 1) {
                    SizeChoices choices;
                    for (const Served &interval : sizes) {
                        choices.push_back({interval.most, interval.choice});
                    }
                    EXPECT_EQ(report.automatic.by_size, choices);
                    ++by_size;
                    continue;
                }
                const Served &served = sizes.front();
                EXPECT_EQ(report.automatic.text(), std::string(choice_name(served.choice)) + " ("
                                                       + describe(served.reason) + ")");
                const AlgorithmReport *chosen = report.find(choice_name(served.choice));
                if (chosen != nullptr) {
                    EXPECT_EQ(chosen->combining_threshold, served.combining_threshold);
                }
            }
            expect_equal(report.facts, created.topologies[0].facts);
            ++decisions[report.automatic.text()];
        }
    }
    if (scaled(48) >= 48) {
        EXPECT_GE(decisions.size(), 4U) << "the cases are too similar";
        EXPECT_GT(by_size, 0) << "and none has several sizes";
    }
}

INSTANTIATE_TEST_SUITE_P(OwnAndSharedCores, ExplainDecision, testing::Values(4, 2, 1));

} // namespace
} // namespace nbrhood::test
