// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builders of all ranks in one process; builder_failures_test.cc tests errors.
#include <gtest/gtest.h>

#include <ctime>

#include "analysis/lockstep.h"
#include "flow_support.h"

namespace nbrhood::test {
namespace {

TEST(Lockstep, BuildsWhatBuildersOnTheirOwnBuild)
{
    for (int seed = 0; seed < scaled(60); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 32);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        const Tuning tuning = random_tuning(random);
        const IsLarge large = random_large(random);
        for (const Algorithm &algorithm : registry()) {
            for (const BlockKind kind : kinds_of(algorithm)) {
                SCOPED_TRACE("seed " + std::to_string(seed) + " " + algorithm.name + " kind "
                             + std::to_string(static_cast<int>(kind)));
                if (!serves(algorithm, kind)) {
                    continue;
                }
                const GraphPatterns built = build_all(algorithm, kind, graph, machine, tuning);
                ASSERT_EQ(built.patterns.size(), graph.size());
                const auto faults = prove(built.patterns, graph, large);
                EXPECT_TRUE(faults.empty()) << joined(faults);
                if (algorithm.make_builder == nullptr) {
                    EXPECT_EQ(built.patterns, direct_patterns(graph, kind));
                    EXPECT_EQ(built.negotiation.messages.size(), 0U);
                    EXPECT_EQ(built.negotiation.rounds, 0);
                    continue;
                }
                Construction other(graph, machine, tuning, {Task{kind, algorithm.variant}}, {},
                                   kNoRank, -1, algorithm.make_builder);
                const int messages = run_in_random_order(other.builders(), random);
                EXPECT_EQ(built.negotiation.messages.size(), static_cast<std::size_t>(messages));
                for (std::size_t r = 0; r < graph.size(); ++r) {
                    EXPECT_EQ(built.patterns[r].rank, static_cast<Rank>(r));
                    EXPECT_EQ(built.patterns[r].kind, kind);
                    EXPECT_EQ(built.patterns[r].operations,
                              other.builders()[r]->take_pattern(0).operations);
                    if (other.has_edges(r)) {
                        EXPECT_EQ(words_of(built.traffic), words_of(other.traffic(r)));
                    }
                }
            }
        }
    }
}

// Ranks of a chain: each writes `words` words to the next when it has received those of the one
// before.
class Relaying : public Builder {
public:
    Relaying(Rank rank, Rank last, std::size_t words) : rank_(rank), last_(last), words_(words) {}
    Step step(const std::vector<Message> &inbox) override
    {
        if (inbox.empty() && rank_ > 0) {
            return Step{{}, {rank_ - 1}, false};
        }
        Step step{{}, {}, true};
        if (rank_ < last_) {
            step.outbox.push_back(Message{rank_ + 1, false, std::vector<std::int32_t>(words_)});
        }
        return step;
    }
    Outcome outcome(std::size_t /*task*/) const override { return Outcome::built; }
    Traffic traffic(std::size_t /*task*/) const override { return {}; }
    bool one_size() const override { return false; }
    Pattern take_pattern(std::size_t /*task*/) override { return {}; }

private:
    Rank rank_, last_;
    std::size_t words_;
};

TEST(Lockstep, CountsMessagesBytesAndTheLongestChain)
{
    for (const Rank ranks : {1, 2, 7}) {
        std::vector<std::unique_ptr<Builder>> chain;
        chain.reserve(static_cast<std::size_t>(ranks));
        for (Rank rank = 0; rank < ranks; ++rank) {
            chain.push_back(std::make_unique<Relaying>(rank, ranks - 1, 3));
        }
        const Negotiation negotiation = run_lockstep(chain);
        EXPECT_EQ(negotiation.messages.size(), static_cast<std::size_t>(ranks - 1));
        EXPECT_EQ(negotiation.bytes(), 12 * static_cast<std::size_t>(ranks - 1));
        EXPECT_EQ(negotiation.rounds, ranks - 1);
    }
}

TEST(Lockstep, RoundsGrowWithTheLogarithmOfTheRegions)
{
    // Nodes of two ranks in a ring: messages go to the leaders, up and down their tree, between
    // leaders, and back to the members.
    std::vector<int> rounds;
    for (const int nodes : {2, 4, 8, 16, 32}) {
        Lists lists(2 * nodes);
        for (Rank rank = 0; rank < 2 * nodes; ++rank) {
            lists.add(rank, (rank + 2) % (2 * nodes));
        }
        const GraphPatterns built =
            build_all(registry()[1], BlockKind::one_per_edge, match(lists),
                      make_machine(std::vector<int>(static_cast<std::size_t>(nodes), 2)), Tuning{});
        rounds.push_back(built.negotiation.rounds);
    }
    for (std::size_t i = 1; i < rounds.size(); ++i) {
        EXPECT_EQ(rounds[i] - rounds[i - 1], 2) << "one up, one down for twice the nodes";
    }
    EXPECT_LE(rounds[0], 6);
}

// A case with thousands of ranks, as in the tools: a grid of 16 x 16 x 16 with a stencil of 27
// points, on 128 nodes of 32.
TEST(Lockstep, ThousandsOfRanksAreBuiltAndEvaluatedQuickly)
{
    const int edge = scaled_ranks(32) / 2; // 16, or 4
    const Rank ranks = edge * edge * edge;
    Lists lists(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        for (int step = 0; step < 27; ++step) {
            const auto moved = [&](int stride, int by) {
                return (rank / stride + by - 1 + edge) % edge * stride;
            };
            const Rank peer =
                moved(1, step % 3) + moved(edge, step / 3 % 3) + moved(edge * edge, step / 9);
            if (peer != rank) {
                lists.add(rank, peer);
            }
        }
    }
    const Graph graph = match(lists);
    const Machine machine =
        make_machine(std::vector<int>(static_cast<std::size_t>(ranks / 32), 32));
    const Cluster cluster = cluster_of(machine, 0);
    const std::clock_t begin = std::clock();
    for (const Algorithm &algorithm : registry()) {
        const BlockKind kind = serves(algorithm, BlockKind::one_per_edge) ? BlockKind::one_per_edge
                                                                          : BlockKind::one_per_rank;
        const GraphPatterns built = build_all(algorithm, kind, graph, machine, Tuning{});
        const Flow flow(built.patterns, equal_bytes(8), FlowLimits{1024, 1024});
        const Evaluation evaluation = evaluate(flow, cluster, default_costs());
        EXPECT_GT(flow.messages().size(), static_cast<std::size_t>(ranks)) << algorithm.name;
        EXPECT_GT(evaluation.seconds, 0) << algorithm.name;
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    // An idle core takes a tenth of this; sanitizers and valgrind take longer.
    EXPECT_LT(seconds, 60) << "of processor time";
    RecordProperty("processor_seconds", std::to_string(seconds));
}

} // namespace
} // namespace nbrhood::test
