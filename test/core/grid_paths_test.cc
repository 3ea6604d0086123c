// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Grid paths are right on all grids and on graphs that are almost grids, with few messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "algorithms/grid_paths/grid_paths.h"
#include "algorithms/grid_paths/grid_shape.h"
#include "analysis/lockstep.h"
#include "component_builds.h"
#include "support.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

Grid make_grid(const std::vector<int> &extents, int radius, bool periodic)
{
    Grid grid;
    for (const int extent : extents) {
        grid.dimensions.push_back({extent, radius, periodic});
    }
    grid.order.resize(extents.size());
    std::iota(grid.order.begin(), grid.order.end(), 0);
    return grid;
}

int ranks_of(const Grid &grid)
{
    int ranks = 1;
    for (const GridDimension &dimension : grid.dimensions) {
        ranks *= dimension.extent;
    }
    return ranks;
}

// The order of the lists does not matter.
Lists lists_of(const Grid &grid, Random &random)
{
    Lists lists(ranks_of(grid));
    for (Rank rank = 0; rank < lists.ranks(); ++rank) {
        for (const Rank peer : grid.neighbourhood(rank)) {
            if (peer != rank) {
                lists.add(rank, peer);
            }
        }
    }
    for (auto *ends : {&lists.sources, &lists.destinations}) {
        for (auto &peers : *ends) {
            std::shuffle(peers.begin(), peers.end(), random);
        }
    }
    return lists;
}

const Algorithm &row()
{
    return registry()[static_cast<std::size_t>(find_choice("grid_paths") - kFirstRow)];
}

GraphPatterns build(const Graph &graph, const Machine &machine)
{
    return build_all(row(), BlockKind::one_per_rank, graph, machine, Tuning{});
}

void expect_right(const GraphPatterns &built, const Graph &graph, const IsLarge &large)
{
    const auto faults = prove(built.patterns, graph, large);
    ASSERT_TRUE(faults.empty()) << joined(faults);
}

std::int64_t combined_sends(const GraphPatterns &built)
{
    std::int64_t sends = 0;
    for (const Pattern &pattern : built.patterns) {
        for (const Operation &operation : pattern.operations) {
            sends += operation.kind == OperationKind::send && operation.carry == Carry::combined;
        }
    }
    return sends;
}

struct Case {
    std::vector<int> extents;
    int radius;
};

void PrintTo(const Case &grid, std::ostream *out)
{
    for (const int extent : grid.extents) {
        *out << extent << " x ";
    }
    *out << "radius " << grid.radius;
}

class GridPaths : public testing::TestWithParam<Case> {};

TEST_P(GridPaths, BringEachBlockOnceInAsManyMessagesAsTheGridHas)
{
    for (const bool periodic : {true, false}) {
        SCOPED_TRACE(periodic);
        Random random(1);
        const Grid grid = make_grid(GetParam().extents, GetParam().radius, periodic);
        const Graph graph = match(lists_of(grid, random));
        const GraphPatterns built = build(graph, random_machine(random, ranks_of(grid)));
        ASSERT_NO_FATAL_FAILURE(expect_right(built, graph, random_large(random)));
        const std::int64_t ranks = ranks_of(grid);
        if (grid.messages() < grid.edges() && grid.edges() < ranks * (ranks - 1)) {
            EXPECT_EQ(combined_sends(built), grid.messages());
            EXPECT_EQ(built.traffic.relayed.all_messages, grid.messages());
            EXPECT_EQ(built.traffic.relayed.all_blocks, grid.edges()) << "no block comes twice";
            EXPECT_EQ(built.traffic.phases, grid.stages());
        } else {
            EXPECT_EQ(combined_sends(built), 0) << "direct";
        }
        EXPECT_EQ(built.traffic.direct.all_messages, grid.edges());
    }
}

// If random cases are scaled down, the largest grids are left out.
std::vector<Case> cases()
{
    std::vector<Case> all{{{64}, 1},         {{64}, 4},       {{9}, 4},          {{100}, 9},
                          {{24, 20}, 3},     {{9, 30}, 4},    {{8, 8, 8}, 2},    {{7, 8, 9}, 3},
                          {{4, 5, 3, 6}, 1}, {{64, 64}, 1},   {{32, 64}, 2},     {{16, 16, 16}, 1},
                          {{12, 11, 13}, 1}, {{9, 9, 9}, 4},  {{8, 8, 8, 8}, 1}, {{6, 5, 6, 7}, 2},
                          {{7, 7, 6, 6}, 2}, {{9, 10, 11}, 4}};
    const auto too_many = [](const Case &one) {
        int ranks = 1, near = 1;
        for (const int extent : one.extents) {
            ranks *= extent;
            near *= std::min(extent, 2 * one.radius + 1);
        }
        return ranks > scaled_ranks(4096) || ranks * near > scaled_ranks(2000000);
    };
    all.erase(std::remove_if(all.begin(), all.end(), too_many), all.end());
    return all;
}

INSTANTIATE_TEST_SUITE_P(Grids, GridPaths, testing::ValuesIn(cases()));

// Random extents and radii, each dimension periodic or open; some are so short that every rank is
// reached.
TEST(GridPaths, AreRightOnGridsOfAllKinds)
{
    for (int seed = 0; seed < scaled(80); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int dimensions = draw(random, 1, 5);
        Grid grid = make_grid(std::vector<int>(static_cast<std::size_t>(dimensions), 2), 1, true);
        for (GridDimension &dimension : grid.dimensions) {
            dimension.extent = draw(random, 2, dimensions > 3 ? 4 : 7);
            dimension.radius = draw(random, 1, dimension.extent - 1);
            dimension.periodic = chance(random, 0.5);
        }
        Graph graph = match(lists_of(grid, random));
        set_random_weights(random, graph);
        const Machine machine = random_machine(random, ranks_of(grid));
        const GraphPatterns built = build(graph, machine);
        ASSERT_NO_FATAL_FAILURE(expect_right(built, graph, random_large(random)));
        const bool reaches_all = std::any_of(grid.dimensions.begin(), grid.dimensions.end(),
                                             [](const GridDimension &dimension) {
                                                 return dimension.reached(0) == dimension.extent;
                                             });
        if (!reaches_all) { // then the grid differs from all others
            EXPECT_EQ(built.traffic.relayed.all_messages, std::min(grid.messages(), grid.edges()));
        }
        // Bounds that hold before anything is counted.
        const std::optional<Traffic> least = least_on_grid_paths(find_facts(graph, machine, 1));
        ASSERT_TRUE(least || combined_sends(built) == 0 || built.traffic.direct.nonlocal == 0);
        if (least) {
            EXPECT_LE(least->busiest_relayed.all_messages,
                      built.traffic.busiest_relayed.all_messages);
            EXPECT_LE(least->busiest_relayed.all_blocks, built.traffic.busiest_relayed.all_blocks);
        }
    }
}

// Grids with a few edges removed, added or moved, with ranks in another order, or with more ranks:
// blocks arrive, with one message for each edge.
TEST(GridPaths, AreDirectWhereTheGraphIsAlmostAGrid)
{
    for (int seed = 0; seed < scaled(200); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 1000);
        const bool periodic = chance(random, 0.5);
        const Grid grid = chance(random, 0.5) ? make_grid({6, 7}, draw(random, 1, 2), periodic)
                                              : make_grid({4, 5, 4}, 1, periodic);
        const int ranks = ranks_of(grid);
        Lists lists = lists_of(grid, random);
        const auto remove = [&](Rank source, Rank destination) {
            auto &out = lists.destinations[static_cast<std::size_t>(source)];
            auto &in = lists.sources[static_cast<std::size_t>(destination)];
            out.erase(std::find(out.begin(), out.end(), destination));
            in.erase(std::find(in.begin(), in.end(), source));
        };
        const Rank some = draw(random, 0, ranks - 1);
        const Rank near = lists.destinations[static_cast<std::size_t>(some)].front();
        switch (seed % 7) {
        case 0:
            remove(some, near);
            break;
        case 1: // both ways
            remove(some, near);
            remove(near, some);
            break;
        case 2:
            lists.add(some, near);
            break;
        case 3:
            lists.add(some, some);
            break;
        case 4: { // moved to a rank that is no neighbour
            remove(some, near);
            const auto &out = lists.destinations[static_cast<std::size_t>(some)];
            Rank other = some;
            while (other == some || other == near
                   || std::find(out.begin(), out.end(), other) != out.end()) {
                other = draw(random, 0, ranks - 1);
            }
            lists.add(some, other);
            break;
        }
        case 5: // two ranks change places
            for (auto *ends : {&lists.sources, &lists.destinations}) {
                std::swap((*ends)[0], (*ends)[static_cast<std::size_t>(ranks) - 1]);
                for (auto &peers : *ends) {
                    for (Rank &peer : peers) {
                        peer = peer == 0 ? ranks - 1 : peer == ranks - 1 ? 0 : peer;
                    }
                }
            }
            break;
        default: // ranks without edges
            lists.sources.resize(lists.sources.size() + 3);
            lists.destinations.resize(lists.destinations.size() + 3);
        }
        const Graph graph = match(lists);
        const GraphPatterns built = build(graph, random_machine(random, lists.ranks()));
        ASSERT_NO_FATAL_FAILURE(expect_right(built, graph, random_large(random)));
        if (seed % 7 != 5 || !periodic) { // in a small periodic grid these may be neighbours of all
            EXPECT_EQ(combined_sends(built), 0);
        }
    }
}

TEST(GridPaths, AreRightOnAnyGraph)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 2000);
        const int ranks = draw(random, 1, 40);
        const Graph graph = random_graph(random, ranks);
        const GraphPatterns built = build(graph, random_machine(random, ranks));
        ASSERT_NO_FATAL_FAILURE(expect_right(built, graph, random_large(random)));
    }
}

// The builders of all ranks; one of them may fail.
std::vector<std::unique_ptr<Builder>>
make_builders(const Graph &graph, const KnownRanks &known_ranks, Rank victim, int step)
{
    std::vector<std::unique_ptr<Builder>> builders;
    for (const Neighbourhood &own : graph) {
        BuildInput input;
        input.neighbourhood = &own;
        input.known_ranks = &known_ranks;
        input.ranks = static_cast<Rank>(graph.size());
        input.tree = place_in_tree(known_ranks, own.rank);
        input.tasks = {Task{BlockKind::one_per_rank, 0}};
        input.fail_in_step = own.rank == victim ? step : -1;
        builders.push_back(make_grid_paths_builder(input));
    }
    return builders;
}

TEST(GridPaths, FailuresOfAnyRankInAnyStepEndTheProtocol)
{
    Random random(3);
    for (const bool is_grid : {true, false}) {
        Lists lists = lists_of(make_grid({3, 5}, 1, false), random);
        if (!is_grid) {
            lists.add(0, 0);
        }
        const Graph graph = match(lists);
        for (const Machine &machine : {make_machine({4, 4, 4, 3}), make_machine({1, 7, 7}),
                                       make_machine(std::vector<int>(15, 1))}) {
            const KnownRanks all(machine, std::vector<char>(15, 1));
            for (Rank victim = 0; victim < 15; ++victim) {
                for (int step = 0; step < 12; ++step) {
                    SCOPED_TRACE("rank " + std::to_string(victim) + " step "
                                 + std::to_string(step));
                    const auto builders = make_builders(graph, all, victim, step);
                    ASSERT_GE(run_in_random_order(builders, random), 0);
                    int failed = 0;
                    for (const auto &builder : builders) {
                        failed += builder->outcome(0) == Outcome::failed ? 1 : 0;
                    }
                    // Each builder has at least three supersteps; a failure before the sum is a
                    // failure of all.
                    EXPECT_TRUE(step > 1 || failed == 15);
                    EXPECT_TRUE(step > 2 || failed > 0);
                }
            }
        }
    }
}

// Components build independently: ranks know only their neighbours and their node, and all are in
// the tree.
TEST(GridPaths, AreBuiltBesideTheProgram)
{
    Random random(4);
    const Collective collective = Collective::neighbor_allgatherv;
    const int choice = find_choice("grid_paths");
    for (int round = 0; round < scaled(25); ++round) {
        SCOPED_TRACE(round);
        const Grid grid =
            make_grid({draw(random, 3, 6), draw(random, 3, 6)}, draw(random, 1, 2), round % 2 == 0);
        const int ranks = ranks_of(grid);
        Settings settings = settings_of(choice, collective);
        if (round % 5 == 4) {
            settings.fail_rank = draw(random, 0, ranks - 1);
            settings.fail_step = draw(random, 0, 6);
        }
        Machine machine = random_machine(random, ranks);
        while (machine.regions() == 1) { // there nothing is built
            machine = random_machine(random, ranks);
        }
        Builds builds(match(lists_of(grid, random)), machine,
                      std::vector<Settings>(static_cast<std::size_t>(ranks), settings), random,
                      collective);
        builds.run(random);
        nbrhood::test::expect_right(builds);
        if (round % 5 != 4) {
            EXPECT_TRUE(builds.ranks.front()->build.first_served());
            EXPECT_EQ(builds.served(0).choice, choice);
        }
    }
}

TEST(GridPaths, AutoTakesThemOnGridsOnly)
{
    Random random(5);
    const Machine machine = make_machine(std::vector<int>(8, 8));
    const Settings settings = settings_of(kAuto, Collective::neighbor_allgather);
    const auto served = [&](const Lists &lists) {
        return create_all(match(lists), machine, settings)
            .topologies.front()
            .served[static_cast<std::size_t>(Collective::neighbor_allgather)]
            .front()
            .choice;
    };
    Lists lists = lists_of(make_grid({8, 8}, 2, true), random);
    EXPECT_EQ(served(lists), find_choice("grid_paths"));
    lists.add(3, 3);
    EXPECT_NE(served(lists), find_choice("grid_paths"));
}

TEST(GridPaths, LeastIsNothingForNumbersThatNoGridHas)
{
    Facts facts;
    facts.ranks_with_edges = 64;
    facts.busiest_edges = 26;
    facts.edges_nonlocal = 1;
    facts.edges = 64 * 26;
    EXPECT_EQ(least_on_grid_paths(facts)->busiest_relayed.all_messages, 12);
    EXPECT_EQ(least_on_grid_paths(facts)->phases, 3);
    --facts.edges;
    EXPECT_FALSE(least_on_grid_paths(facts));
    facts.busiest_edges = 4; // a Cartesian communicator of two dimensions
    facts.edges = 64 * 4;
    EXPECT_FALSE(least_on_grid_paths(facts));
}

} // namespace
} // namespace nbrhood::test
