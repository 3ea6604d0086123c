// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The memory of the tools grows with the edges of the graph, not with the pairs of ranks: 4,096
// ranks at a density of 0.3 have five million edges.
#include <gtest/gtest.h>

#include "common/allocations.h"
#include "analysis/lockstep.h"
#include "flow_support.h"

namespace nbrhood::test {
namespace {

constexpr int kRanks = 256;

// The most bytes that some work holds at one time, with its result, for each edge.
template <typename Work>
double bytes_of_an_edge(const Graph &graph, const Work &work)
{
    std::size_t edges = 0;
    for (const Neighbourhood &own : graph) {
        edges += own.out.size();
    }
    Counting::take();
    {
        const Counting at_work(true);
        work();
    }
    return static_cast<double>(Counting::most_held()) / static_cast<double>(edges);
}

// Either each rank is a leader, who writes to most others, or there are few leaders, each with many
// members.
class AnalysisMemory : public testing::TestWithParam<int> {};

TEST_P(AnalysisMemory, IsAFewHundredBytesForEachEdge)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, kRanks, 0.3));
    const Machine machine =
        make_machine(std::vector<int>(static_cast<std::size_t>(kRanks / GetParam()), GetParam()));
    for (const Algorithm &algorithm : registry()) {
        for (const BlockKind kind : kinds_of(algorithm)) {
            SCOPED_TRACE(std::string(algorithm.name) + ", " + name_of(kind));
            GraphPatterns built;
            const double to_build = bytes_of_an_edge(
                graph, [&] { built = build_all(algorithm, kind, graph, machine, Tuning{}); });
            const double to_prove = bytes_of_an_edge(graph, [&] {
                for (const bool large : {false, true}) {
                    const auto faults =
                        prove(built.patterns, graph, [&](const Edge &) { return large; });
                    EXPECT_TRUE(faults.empty()) << joined(faults);
                }
            });
            const double to_evaluate = bytes_of_an_edge(graph, [&] {
                const Flow flow(built.patterns, equal_bytes(8), FlowLimits{1024, 1024});
                EXPECT_GT(evaluate(flow, cluster_of(machine, 0), default_costs()).seconds, 0);
            });
            // Includes the patterns, which proof and evaluation also hold. (If each rank is a
            // leader, or writes to its neighbours, builders send more messages than there are
            // edges.)
            const bool one_each = built.negotiation.messages.size()
                                  > static_cast<std::size_t>(built.traffic.direct.all_messages);
            // Distance halving keeps an order of all ranks on each.
            const double usual = enters_regions_once(algorithm) ? 300 : 500;
            // Large blocks come in parts.
            const int parts = algorithm.above != nullptr && GetParam() > 1 ? 2 : 1;
            EXPECT_LT(to_build, parts * (one_each || GetParam() == 1 ? 1000 : usual));
            EXPECT_LT(to_prove, parts * 200);
            EXPECT_LT(to_evaluate, parts * 400);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(RanksOfANode, AnalysisMemory, testing::Values(1, 32));

} // namespace
} // namespace nbrhood::test
