// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Proves patterns of leader_scatter on nodes of GPU dies and on others, and counts the bytes that
// cross into a node.
#include <gtest/gtest.h>

#include <set>

#include "algorithms/leader_scatter/leader_scatter.h"
#include "analysis/flow.h"
#include "analysis/lockstep.h"
#include "execute/program.h"
#include "analysis/gpu_nodes.h"
#include "machine/synthetic.h"
#include "select/selection.h"
#include "support.h"

namespace nbrhood::test {
namespace {

const Algorithm &row()
{
    return row_of(find_choice("leader_scatter"));
}

std::vector<Pattern> build(const Graph &graph, const Machine &machine, const DieLinks &links,
                           const Tuning &tuning = Tuning{})
{
    return build_all(row(), BlockKind::one_per_rank, graph, machine, tuning,
                     std::make_shared<DieLinks>(links))
        .patterns;
}

void expect_proved(const std::vector<Pattern> &patterns, const Graph &graph, Random &random)
{
    for (const IsLarge &large :
         {IsLarge([](const Edge &) { return false; }), IsLarge([](const Edge &) { return true; }),
          random_large(random)}) {
        const auto faults = prove(patterns, graph, large);
        EXPECT_TRUE(faults.empty()) << faults.front();
    }
    for (const Pattern &pattern : patterns) {
        EXPECT_NO_THROW(Program{pattern});
    }
}

// Bytes that cross into nodes in a call with blocks of this many bytes.
std::uint64_t crossing_bytes(const std::vector<Pattern> &patterns, const Machine &machine,
                             std::uint64_t bytes, std::uint64_t threshold)
{
    const Flow flow(
        patterns, [&](Rank, std::uint32_t) { return bytes; }, FlowLimits{threshold, threshold});
    std::uint64_t crossing = 0;
    for (const FlowMessage &message : flow.messages()) {
        crossing += machine.local(message.source, message.destination) ? 0 : message.bytes;
    }
    return crossing;
}

// The number of blocks that must cross into nodes (each once into each node with a neighbour), and
// the number that cross without relays.
std::pair<std::uint64_t, std::uint64_t> crossing_blocks(const Graph &graph, const Machine &machine)
{
    std::set<std::pair<Rank, Region>> once;
    std::uint64_t directly = 0;
    for (const Neighbourhood &own : graph) {
        for (const EdgeEnd &end : own.out) {
            if (end.peer != kNoRank && !machine.local(own.rank, end.peer)) {
                once.emplace(own.rank, machine.region_of(end.peer));
                ++directly;
            }
        }
    }
    return {once.size(), directly};
}

TEST(LeaderScatter, NoByteCrossesIntoANodeTwice)
{
    for (const int nodes : {1, 2, 4, scaled_ranks(128) / 8}) {
        for (const double density : {0.05, 0.2, 0.4, 0.6}) {
            SCOPED_TRACE(std::to_string(nodes) + " nodes, density " + std::to_string(density));
            Random random(static_cast<std::uint64_t>(nodes));
            const DieLinks links = nodes % 4 == 0 ? mi250x_links() : mi250_links();
            const Machine machine = machine_of_dies(nodes, links);
            const Graph graph = match(dense_lists(random, machine.ranks(), density));
            const auto patterns = build(graph, machine, links);
            expect_proved(patterns, graph, random);
            const auto [once, directly] = crossing_blocks(graph, machine);
            constexpr std::uint64_t kBytes = 1000003; // no multiple of anything
            EXPECT_EQ(crossing_bytes(patterns, machine, kBytes, 0), once * kBytes);
            EXPECT_EQ(crossing_bytes(patterns, machine, kBytes, kBytes), directly * kBytes);
        }
    }
}

TEST(LeaderScatter, IsProvedOnRandomGraphsOfDies)
{
    for (int seed = 0; seed < scaled(300) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const DieLinks links = chance(random, 0.5) ? mi250_links() : mi250x_links();
        const Machine machine = machine_of_dies(draw(random, 1, 6), links);
        Tuning tuning;
        tuning.values.set(kScatterLeaders, draw(random, 1, 9));
        const Graph graph = random_graph(random, machine.ranks());
        expect_proved(build(graph, machine, links, tuning), graph, random);
    }
}

// Sockets or L3 caches are packages, several ranks share a die, or nothing is known within nodes.
TEST(LeaderScatter, IsProvedOnOtherMachines)
{
    for (int seed = 0; seed < scaled(300) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const std::array<const char *, 3> machines{
            "node:4 socket:2 core:3", "node:3 gpu:2 die:2 core:2", "node:3 socket:2 l3:2 core:3"};
        const SyntheticMachine synthetic(machines[static_cast<std::size_t>(draw(random, 0, 2))]);
        const int ranks = draw(random, 1, synthetic.slots());
        std::vector<Place> places;
        for (Rank rank = 0; rank < ranks; ++rank) {
            places.push_back(synthetic.place(rank));
        }
        const bool flat = chance(random, 0.3);
        const Machine machine =
            flat ? random_machine(random, ranks)
                 : Machine(places, chance(random, 0.3) ? Level::socket : Level::node);
        Tuning tuning;
        tuning.values.set(kScatterPackage,
                          static_cast<Level>(draw(random, static_cast<int>(Level::socket),
                                                  static_cast<int>(Level::gpu))));
        tuning.values.set(kScatterLeaders, draw(random, 1, 5));
        const Graph graph = random_graph(random, ranks);
        const DieLinks links({{0, 4, 0, 1}, {4, 0, 2, 0}, {0, 2, 0, 4}, {1, 0, 4, 0}},
                             {0, 0, 1, 1});
        expect_proved(build(graph, machine, links, tuning), graph, random);
    }
}

// Patterns hold no staging, and copy nothing but self edges.
TEST(LeaderScatter, RelaysAreDestinations)
{
    Random random(1);
    const DieLinks links = mi250_links();
    const Machine machine = machine_of_dies(4, links);
    const Graph graph = match(dense_lists(random, machine.ranks(), 0.5));
    for (const Pattern &pattern : build(graph, machine, links)) {
        EXPECT_EQ(pattern.staging_blocks, 0U);
        for (const Operation &operation : pattern.operations) {
            EXPECT_NE(operation.kind, OperationKind::copy);
            EXPECT_NE(operation.carry, Carry::combined);
            EXPECT_EQ(operation.slices.size(), 1U);
        }
    }
}

// The counts of parts add up to whole blocks.
TEST(LeaderScatter, CountsTheBlocksThatCross)
{
    Random random(3);
    const DieLinks links = mi250x_links();
    const Machine machine = machine_of_dies(4, links);
    const Graph graph = match(dense_lists(random, machine.ranks(), 0.4));
    const GraphPatterns built = build_all(row(), BlockKind::one_per_rank, graph, machine, Tuning{},
                                          std::make_shared<DieLinks>(links));
    const auto [once, directly] = crossing_blocks(graph, machine);
    EXPECT_EQ(built.traffic.direct.blocks_over(Link::network), static_cast<std::int64_t>(directly));
    // Each rank rounds its sends.
    EXPECT_NEAR(static_cast<double>(built.traffic.relayed.blocks_over(Link::network)),
                static_cast<double>(once), machine.ranks() / 2.0);
}

} // namespace
} // namespace nbrhood::test
