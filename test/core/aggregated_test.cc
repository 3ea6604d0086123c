// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proves aggregated patterns on random graphs, machines and settings.
#include <gtest/gtest.h>

#include "analysis/lockstep.h"
#include "support.h"

namespace nbrhood::test {
namespace {

// Both kinds of blocks in both schemes, built together.
void build_and_prove(Graph graph, Machine machine, const Tuning &tuning, const IsLarge &large)
{
    const std::vector<Task> tasks = all_tasks();
    Construction construction(std::move(graph), std::move(machine), tuning, tasks);
    ASSERT_NO_THROW(run_lockstep(construction.builders()));
    for (std::size_t task = 0; task < tasks.size(); ++task) {
        SCOPED_TRACE("task " + std::to_string(task));
        std::vector<Pattern> patterns;
        ASSERT_NO_THROW(patterns = construction.take(task));
        const auto faults = prove(patterns, construction.graph(), large);
        EXPECT_TRUE(faults.empty()) << joined(faults);
    }
}

void prove_random(Random &random, int ranks)
{
    Graph graph = random_graph(random, ranks);
    Machine machine = random_machine(random, ranks);
    const Tuning tuning = random_tuning(random);
    build_and_prove(std::move(graph), std::move(machine), tuning, random_large(random));
}

TEST(Aggregated, IsProvedOnThousandsOfSmallGraphs)
{
    for (int seed = 0; seed < scaled(10000) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        prove_random(random, draw(random, 1, 16));
    }
}

TEST(Aggregated, IsProvedOnHundredsOfMediumGraphs)
{
    for (int seed = 0; seed < scaled(1000) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 1000000);
        prove_random(random, draw(random, 17, 64));
    }
}

TEST(Aggregated, IsProvedOnEveryMachineAndTuningOfOneGraph)
{
    Random random(5);
    const Graph graph = match(dense_lists(random, 24, 0.3));
    for (const auto &nodes :
         {std::vector<int>{24}, std::vector<int>(24, 1), {8, 8, 8}, {1, 22, 1}, {13, 7, 3, 1}}) {
        for (Placement placement : {Placement::by_slot, Placement::by_node}) {
            for (int relays : {0, 1, 2, 5}) {
                for (int combine : {0, 1}) {
                    Tuning tuning;
                    tuning.values.set(kRelaysPerRegion, relays);
                    tuning.values.set(kCombineLocal, combine);
                    build_and_prove(graph, make_machine(nodes, placement), tuning,
                                    random_large(random));
                }
            }
        }
    }
}

TEST(Aggregated, IsProvedOnCartesianGridsWithShortPeriods)
{
    Random random(6);
    for (const auto &extents : {std::vector<int>{1},
                                {2},
                                {1, 1},
                                {2, 2},
                                {1, 2, 3},
                                {4, 1, 2},
                                {2, 2, 2, 2},
                                {3, 5, 4}}) {
        for (unsigned mask = 0; mask < 1U << extents.size(); ++mask) {
            std::vector<bool> periodic;
            for (std::size_t d = 0; d < extents.size(); ++d) {
                periodic.push_back((mask >> d & 1U) != 0);
            }
            const Graph graph = cartesian_graph(extents, periodic);
            build_and_prove(graph, random_machine(random, static_cast<int>(graph.size())),
                            random_tuning(random), random_large(random));
        }
    }
}

TEST(Aggregated, IsProvedOnHundredsOfRanks)
{
    for (int ranks : {512, 1024}) {
        for (int seed = 0; seed < scaled(2); ++seed) {
            Random random(static_cast<std::uint64_t>(ranks + seed));
            Graph graph = match(sparse_lists(random, ranks, draw(random, 4, 16)));
            build_and_prove(std::move(graph), random_machine(random, ranks), random_tuning(random),
                            random_large(random));
        }
    }
}

TEST(Aggregated, IsProvedOnFourThousandRanks)
{
    Random random(7);
    const int ranks = scaled_ranks(4096);
    Graph graph = match(sparse_lists(random, ranks, 20));
    build_and_prove(std::move(graph),
                    make_machine(std::vector<int>(static_cast<std::size_t>(ranks / 64), 64)),
                    Tuning{}, random_large(random));
}

// The pattern of one task does not depend on the other tasks, nor on the decisions about them.
TEST(Aggregated, TasksBuiltTogetherAreThoseBuiltAlone)
{
    const std::vector<Task> tasks = all_tasks();
    for (int seed = 0; seed < scaled(500); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 8000000);
        const int ranks = draw(random, 1, 24);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        const Tuning tuning = random_tuning(random);
        Construction together(graph, machine, tuning, tasks);
        run_lockstep(together.builders());
        for (std::size_t task = 0; task < tasks.size(); ++task) {
            const auto alone = Construction(graph, machine, tuning, {tasks[task]}).run();
            ASSERT_EQ(together.take(task), alone);
            Construction one(graph, machine, tuning, tasks,
                             [=](const std::vector<Traffic> &, bool /*one_size*/) {
                                 std::vector<char> decisions(4, 0);
                                 decisions[task] = 1;
                                 return decisions;
                             });
            run_lockstep(one.builders());
            ASSERT_EQ(one.take(task), alone);
            for (std::size_t r = 0; r < graph.size(); ++r) {
                for (std::size_t other = 0; other < tasks.size(); ++other) {
                    ASSERT_TRUE(other == task
                                || (one.outcome(r, other) == Outcome::declined)
                                       == one.has_edges(r));
                }
            }
        }
    }
}

// The graph is dense enough for several relays in each region.
TEST(Aggregated, IsProvedWhereRegionsHaveManyNeighbours)
{
    for (int seed = 0; seed < scaled(20); ++seed) {
        Random random(static_cast<std::uint64_t>(seed) + 2000000);
        Graph graph = match(dense_lists(random, 96, 0.3));
        build_and_prove(std::move(graph), make_machine(std::vector<int>(24, 4)),
                        random_tuning(random), random_large(random));
    }
}

} // namespace
} // namespace nbrhood::test
