// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of nbrhood-explain for MPI_Allgather: its messages compared with those that single
// blocks give, and its numbers with the paper's example.
#include <gtest/gtest.h>

#include "allgather/registry.h"
#include "analysis/allgather_flow.h"
#include "nbrhood-explain/allgather_analysis.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using namespace nbrhood_tools::explain;

// The patterns without the ranges of the allgather: Flow follows each block through all ranks.
Flow flow_of_blocks(const std::vector<AllgatherPattern> &patterns, std::uint64_t block_bytes)
{
    std::vector<Pattern> plain;
    for (const AllgatherPattern &own : patterns) {
        plain.push_back(own.pattern);
    }
    return Flow(plain, [&](Rank, std::uint32_t) { return block_bytes; }, {1 << 30, 1 << 30});
}

TEST(AllgatherFlow, HasTheMessagesOfSingleBlocks)
{
    for (int seed = 0; seed < scaled(60); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Machine machine = random_machine(random, draw(random, 1, 24));
        const AllgatherShape shape(machine, Nesting::regions, chance(random, 0.5));
        for (const AllgatherAlgorithm &algorithm : allgather_algorithms()) {
            std::vector<AllgatherPattern> patterns;
            for (Rank rank = 0; rank < shape.ranks(); ++rank) {
                patterns.push_back(algorithm.make(shape, rank));
            }
            const Flow flow = flow_of_allgather(patterns, shape, 10);
            const Flow expected = flow_of_blocks(patterns, 10);
            SCOPED_TRACE(std::string(algorithm.name) + ", seed " + std::to_string(seed));
            ASSERT_EQ(flow.messages().size(), expected.messages().size());
            for (std::uint32_t m = 0; m < flow.messages().size(); ++m) {
                const FlowMessage &own = flow.messages()[m], &other = expected.messages()[m];
                ASSERT_EQ(own.source, other.source);
                ASSERT_EQ(own.destination, other.destination);
                ASSERT_EQ(own.bytes, other.bytes);
                ASSERT_EQ(own.blocks, other.blocks);
                ASSERT_EQ(own.gathered, other.gathered);
                ASSERT_EQ(own.scattered, other.scattered);
                ASSERT_EQ(own.scattered_bytes, other.scattered_bytes);
                ASSERT_EQ(own.waits_for, other.waits_for);
                const Flow::Range feeds = flow.feeds(m), others = expected.feeds(m);
                ASSERT_TRUE(std::equal(feeds.begin(), feeds.end(), others.begin(), others.end()));
            }
            EXPECT_EQ(flow.depth(), expected.depth());
            EXPECT_EQ(flow.self_bytes(0), expected.self_bytes(0));
        }
    }
}

ScenarioReport report_on(const std::string &machine, AnalysisSettings settings)
{
    MachineOptions options;
    options.machine = machine;
    settings.prove = true;
    settings.block_bytes = {8};
    return analyse_allgather(make_layout(describe_machine(options), options), settings,
                             [](const std::string &) {});
}

// Example 2.1 of the paper: 15 values from one rank, 4 by the locality-aware form.
TEST(ExplainAllgather, CountsThePapersExample)
{
    AnalysisSettings settings;
    settings.algorithms = {"bruck", "locality_bruck"};
    settings.values.set(kAllgatherFirstRank, FirstRank::idles);
    const ScenarioReport report = report_on("node:4 core:4", settings);
    const AlgorithmReport *const bruck = report.find("bruck");
    const AlgorithmReport *const local = report.find("locality_bruck");
    ASSERT_TRUE(bruck != nullptr && local != nullptr);
    EXPECT_TRUE(bruck->proved && local->proved);
    const SizeReport &plain = bruck->sizes.at(0), &aware = local->sizes.at(0);
    EXPECT_EQ(plain.counts.messages[between_nodes].most, 4);
    EXPECT_EQ(plain.counts.bytes[between_nodes].most, 15 * 8);
    EXPECT_EQ(aware.counts.messages[between_nodes].most, 1);
    EXPECT_EQ(aware.counts.bytes[between_nodes].most, 4 * 8);
    EXPECT_DOUBLE_EQ(aware.counts.messages[between_nodes].mean, 0.75); // the first rank idles
    EXPECT_EQ(plain.speed_up, 1);
    EXPECT_DOUBLE_EQ(aware.speed_up, plain.seconds.events / aware.seconds.events);
    EXPECT_FALSE(report.has_graph());
}

TEST(ExplainAllgather, LeavesOutWhatTakesAMessageForEachPairOfManyRanks)
{
    AnalysisSettings settings;
    settings.all_algorithms = true;
    settings.algorithms = {"ring", "hierarchical"};
    const ScenarioReport many = report_on("node:80 core:32", settings);
    EXPECT_EQ(many.left_out, std::vector<std::string>{"ring"});
    EXPECT_EQ(many.algorithms.size(), 1U);
    EXPECT_EQ(report_on("node:4 core:32", settings).algorithms.size(), 2U);
}

} // namespace
} // namespace nbrhood::test
