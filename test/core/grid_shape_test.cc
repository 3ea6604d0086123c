// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Grids: the routes of blocks along a dimension, and the facts that ranks can find about their
// grid.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "algorithms/grid_paths/grid_candidates.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(GridDimension, StagesTakeFewMessagesAndFewStages)
{
    EXPECT_EQ(stage_radii(1), (std::vector<int>{1}));
    EXPECT_EQ(stage_radii(2), (std::vector<int>{2}));
    EXPECT_EQ(stage_radii(3), (std::vector<int>{1, 3}));
    EXPECT_EQ(stage_radii(4), (std::vector<int>{1, 4}));
    EXPECT_EQ(stage_radii(5), (std::vector<int>{2, 5}));
    EXPECT_EQ(stage_radii(7), (std::vector<int>{2, 7}));
    EXPECT_EQ(stage_radii(8), (std::vector<int>{1, 4, 8}));
    const GridDimension wide{64, 4, true};
    EXPECT_EQ(received_along(wide, 10), 4);
    EXPECT_EQ(sent_along(wide, 10), 4);
}

// After a stage each coordinate has the blocks of its neighbourhood up to that radius; no block
// came twice, senders had every block that they sent, and both ends list the same messages.
void check_stages(const GridDimension &dimension)
{
    std::vector<std::set<int>> has(static_cast<std::size_t>(dimension.extent));
    for (int at = 0; at < dimension.extent; ++at) {
        has[static_cast<std::size_t>(at)] = {at};
    }
    std::set<std::pair<int, int>> pairs;
    int from = 0;
    for (const int to : stage_radii(dimension.radius)) {
        const auto before = has;
        std::multiset<std::vector<int>> received, sent;
        for (int at = 0; at < dimension.extent; ++at) {
            for (const GridMessage &message : received_in_stage(dimension, at, from, to)) {
                const int source = dimension.moved(at, message.peer);
                ASSERT_TRUE(pairs.emplace(source, at).second) << "two messages of a pair";
                std::vector<int> entry{source, at};
                for (int offset = message.first; offset <= message.last; ++offset) {
                    const int block = dimension.moved(at, offset);
                    entry.push_back(block);
                    ASSERT_EQ(before[static_cast<std::size_t>(source)].count(block), 1U);
                    ASSERT_TRUE(has[static_cast<std::size_t>(at)].insert(block).second);
                }
                received.insert(entry);
            }
            for (const GridMessage &message : sent_in_stage(dimension, at, from, to)) {
                std::vector<int> entry{at, dimension.moved(at, message.peer)};
                for (int offset = message.first; offset <= message.last; ++offset) {
                    ASSERT_LE(std::abs(offset), from);
                    entry.push_back(dimension.moved(at, offset));
                }
                sent.insert(entry);
            }
        }
        ASSERT_EQ(received, sent);
        from = to;
    }
    std::int64_t edges = 0;
    std::int64_t received = 0;
    for (int at = 0; at < dimension.extent; ++at) {
        std::set<int> wanted;
        for (int other = 0; other < dimension.extent; ++other) {
            const int apart = std::abs(at - other);
            if (apart <= dimension.radius
                || (dimension.periodic && dimension.extent - apart <= dimension.radius)) {
                wanted.insert(other);
            }
        }
        ASSERT_EQ(has[static_cast<std::size_t>(at)], wanted);
        ASSERT_EQ(dimension.reached(at), static_cast<int>(wanted.size()));
        edges += dimension.reached(at) - 1;
        received += received_along(dimension, at);
    }
    ASSERT_EQ(dimension.edges(), edges);
    ASSERT_EQ(messages_along(dimension), received);
}

TEST(GridDimension, BringsEachBlockOnceToWhoeverNeedsIt)
{
    for (const bool periodic : {false, true}) {
        for (int extent = 2; extent <= scaled_ranks(40); ++extent) {
            for (int radius = 1; radius < extent; ++radius) {
                SCOPED_TRACE(std::to_string(extent) + (periodic ? " periodic " : " open ")
                             + std::to_string(radius));
                ASSERT_NO_FATAL_FAILURE(check_stages({extent, radius, periodic}));
            }
        }
    }
}

Grid random_grid(Random &random)
{
    Grid grid;
    const int dimensions = draw(random, 1, 4);
    for (int d = 0; d < dimensions; ++d) {
        const int extent = draw(random, 2, dimensions == 4 ? 4 : 7);
        grid.dimensions.push_back({extent, draw(random, 1, extent - 1), chance(random, 0.5)});
    }
    grid.order.resize(grid.dimensions.size());
    std::iota(grid.order.begin(), grid.order.end(), 0);
    return grid;
}

Graph graph_of(const Grid &grid)
{
    int ranks = 1;
    for (const GridDimension &dimension : grid.dimensions) {
        ranks *= dimension.extent;
    }
    Lists lists(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        for (const Rank peer : grid.neighbourhood(rank)) {
            if (peer != rank) {
                lists.add(rank, peer);
            }
        }
    }
    return match(lists);
}

GridCandidates candidates_of(const Neighbourhood &own, const Machine &machine)
{
    const KnownRanks all(machine, std::vector<char>(static_cast<std::size_t>(machine.ranks()), 1));
    return GridCandidates(own, all, machine.ranks());
}

std::optional<Grid> find_grid(const Graph &graph, const Machine &machine)
{
    GridCandidates merged = candidates_of(graph.front(), machine);
    for (std::size_t r = 1; r < graph.size(); ++r) {
        WordWriter written;
        candidates_of(graph[r], machine).put(written);
        WordReader words(written.words());
        merged.merge(GridCandidates(words, machine.ranks()));
        words.expect_end();
    }
    return merged.best();
}

Machine one_rank_nodes(std::size_t ranks)
{
    return make_machine(std::vector<int>(ranks, 1));
}

TEST(GridCandidates, FindAGridWithTheSameEdgesFromTheEdgesAlone)
{
    int found = 0;
    for (int seed = 0; seed < scaled(150); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Grid grid = random_grid(random);
        const Graph graph = graph_of(grid);
        const auto seen = find_grid(graph, one_rank_nodes(graph.size()));
        std::int64_t edges = 0;
        std::int64_t busiest = 0;
        for (const Neighbourhood &own : graph) {
            const auto degree = static_cast<std::int64_t>(own.out.size());
            edges += degree;
            busiest = std::max(busiest, degree);
        }
        ASSERT_EQ(grid.edges(), edges);
        const auto ranks = static_cast<std::int64_t>(graph.size());
        const bool all = edges == ranks * (ranks - 1);
        ASSERT_EQ(grids_with(ranks, edges, busiest).empty(), all);
        if (!seen) {
            EXPECT_TRUE(all || grid.messages() >= edges);
            continue;
        }
        ++found;
        for (const Neighbourhood &own : graph) {
            ASSERT_EQ(seen->neighbourhood(own.rank), symmetric_neighbourhood(own));
        }
    }
    EXPECT_GT(found, 0);
}

TEST(GridCandidates, TravelFirstWhereMostEdgesLeaveTheNode)
{
    Grid grid{{{8, 1, true}, {4, 1, false}, {8, 1, true}}, {0, 1, 2}};
    const Graph graph = graph_of(grid);
    const std::vector<int> nodes(8, 32);
    EXPECT_EQ(find_grid(graph, make_machine(nodes))->order, (std::vector<int>{0, 1, 2}));
    // The ranks of a plane are on different nodes, consecutive ranks on consecutive nodes.
    EXPECT_EQ(find_grid(graph, make_machine(nodes, Placement::by_node))->order,
              (std::vector<int>{2, 0, 1}));
}

// If numbers in the words of candidates are changed, the words are refused or are still valid
// candidates.
TEST(GridCandidates, WordsThatCannotBeAreRefused)
{
    Random random(7);
    const Grid grid{{{4, 1, true}, {6, 2, false}}, {1, 0}};
    const Graph graph = graph_of(grid);
    WordWriter written, of_grid;
    candidates_of(graph[7], one_rank_nodes(24)).put(written);
    grid.put(of_grid);
    int refused = 0;
    for (int round = 0; round < scaled(3000); ++round) {
        const bool whole = chance(random, 0.5);
        std::vector<std::int32_t> words = (whole ? of_grid : written).words();
        words[random() % words.size()] = draw(random, -3, 30);
        WordReader reader(words);
        try {
            if (whole) {
                const Grid read = Grid::take(reader, 24);
                EXPECT_EQ(read.neighbourhood(23).back(), 23);
            } else {
                GridCandidates read(reader, 24);
                read.merge(read);
                read.best();
            }
        } catch (const BadMessage &) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
}

} // namespace
} // namespace nbrhood::test
