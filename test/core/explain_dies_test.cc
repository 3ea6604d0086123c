// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The output of nbrhood-explain for GPU dies: bytes over links and into nodes, and times.
#include <gtest/gtest.h>

#include "analysis/gpu_nodes.h"
#include "nbrhood-explain/analysis.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::explain::AlgorithmReport;
using nbrhood_tools::explain::DieReport;
using nbrhood_tools::explain::Layout;
using nbrhood_tools::explain::ScenarioReport;

// Two nodes of MI250X; direct and leader_scatter with blocks of 1 MiB.
ScenarioReport report_on(const Graph &graph, bool know_dies, std::string *printed = nullptr)
{
    nbrhood_tools::explain::DescribedMachine described;
    const Machine machine = machine_of_dies(2, mi250x_links());
    for (Rank rank = 0; rank < machine.ranks(); ++rank) {
        described.places.push_back(machine.place(rank));
        described.places.back().node /= 8;
    }
    described.cores = {8, 8};
    Layout layout = make_layout(described, nbrhood_tools::explain::MachineOptions{});
    if (know_dies) {
        layout.dies.links = mi250x_links();
    }
    nbrhood_tools::explain::Scenario scenario;
    scenario.kind = BlockKind::one_per_rank;
    scenario.entries.assign(graph.size(), {1});
    scenario.graph = graph;
    nbrhood_tools::explain::AnalysisSettings settings;
    settings.algorithms = {"direct", "leader_scatter"};
    settings.block_bytes = {1 << 20};
    settings.die_costs.latency = settings.die_costs.network_latency = 0;
    settings.die_costs.overhead = 0;
    ScenarioReport report =
        analyse(scenario, layout, settings, nullptr, [](const std::string &) {});
    if (printed != nullptr) {
        testing::internal::CaptureStdout();
        print_dies(report, layout, settings.die_costs);
        *printed = testing::internal::GetCapturedStdout();
    }
    return report;
}

TEST(ExplainDies, CountsLinksAndNodesOfEachAlgorithm)
{
    Lists lists(16);
    for (const Rank destination : {0, 1, 2, 3}) { // figure 5
        lists.add(9, destination);
    }
    const ScenarioReport report = report_on(match(lists), true);
    const DieReport &direct = report.algorithms.at(0).sizes.at(0).dies.value();
    const DieReport &scatter = report.algorithms.at(1).sizes.at(0).dies.value();
    constexpr std::uint64_t kMiB = 1 << 20;
    EXPECT_EQ(direct.traffic.enters, (std::vector<std::uint64_t>{4 * kMiB, 0}));
    EXPECT_EQ(direct.traffic.leaves, (std::vector<std::uint64_t>{0, 4 * kMiB}));
    EXPECT_EQ(scatter.traffic.enters, (std::vector<std::uint64_t>{kMiB, 0}));
    // Dies 1 and 3 exchange halves and pass on the received half.
    EXPECT_EQ(scatter.traffic.link_sum[1 * 8 + 3], kMiB / 2);
    EXPECT_EQ(scatter.traffic.link_sum[3 * 8 + 1], kMiB / 2);
    EXPECT_EQ(scatter.traffic.link_sum[1 * 8 + 0], kMiB);
    EXPECT_EQ(scatter.traffic.link_sum[3 * 8 + 2], kMiB);
    EXPECT_EQ(scatter.traffic.link_sum[0 * 8 + 2], 0U);
    EXPECT_DOUBLE_EQ(direct.speed_up, 1);
    EXPECT_NEAR(direct.times.seconds, 4.0 * kMiB / 25e9, 1e-9);
    EXPECT_GT(scatter.speed_up, 2);
    const nbrhood_tools::Json json = nbrhood_tools::explain::to_json(scatter);
    EXPECT_EQ(json["bytes_into_nodes"][0], kMiB);
    EXPECT_EQ(json["links"].size(), 4U);
    EXPECT_EQ(json["links"][0]["from"], 1);
    EXPECT_EQ(json["links"][0]["to"], 0);
}

TEST(ExplainDies, PrintsBothAlgorithmsSideBySide)
{
    Lists lists(16);
    lists.add(0, 2);
    lists.add(0, 3);
    std::string printed;
    report_on(match(lists), true, &printed);
    EXPECT_NE(printed.find("modelled with link="), std::string::npos) << printed;
    // With direct, 3 is reached over 1; with leader_scatter, 2 passes the part on.
    for (const char *line : {"\n0 to 1      4  512K/1M             0/0\n",
                             "\n0 to 2      1  512K/1M         512K/1M\n",
                             "\n2 to 3      4      0/0         512K/1M\n"}) {
        EXPECT_NE(printed.find(line), std::string::npos) << printed;
    }
    EXPECT_EQ(printed.find("\n4 to 5"), std::string::npos) << "nothing goes there";
}

TEST(ExplainDies, SaysNothingWhereNoneAreKnown)
{
    Lists lists(16);
    lists.add(9, 0);
    for (const AlgorithmReport &algorithm : report_on(match(lists), false).algorithms) {
        EXPECT_FALSE(algorithm.sizes.at(0).dies.has_value());
    }
}

} // namespace
} // namespace nbrhood::test
