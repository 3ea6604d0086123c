// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Topologies on machines whose regions are smaller than their nodes.
#include <gtest/gtest.h>

#include <array>

#include "machine/synthetic.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr auto kAlltoallv = static_cast<std::size_t>(Collective::neighbor_alltoallv);

std::vector<Place> places_of(const SyntheticMachine &machine)
{
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(machine.slots()));
    for (Rank slot = 0; slot < machine.slots(); ++slot) {
        places.push_back(machine.place(slot));
    }
    return places;
}

// Out-edges between regions, counted from the graph and the regions the ranks must find.
std::int64_t nonlocal_edges(const Graph &graph, const Machine &machine)
{
    std::int64_t count = 0;
    for (const Neighbourhood &own : graph) {
        for (const EdgeEnd &end : own.out) {
            count += end.peer != kNoRank && !machine.local(own.rank, end.peer) ? 1 : 0;
        }
    }
    return count;
}

void expect_regions(const Created &created, const Graph &graph, const Machine &expected)
{
    const std::int64_t nonlocal = nonlocal_edges(graph, expected);
    for (std::size_t r = 0; r < graph.size(); ++r) {
        SCOPED_TRACE("rank " + std::to_string(r));
        const Topology &topology = created.topologies[r];
        const auto rank = static_cast<Rank>(r);
        ASSERT_EQ(created.errors[r], 0);
        EXPECT_EQ(topology.facts.regions, expected.regions());
        EXPECT_EQ(topology.facts.edges_nonlocal, nonlocal);
        EXPECT_EQ(topology.whole_nodes, expected.whole_nodes());
        EXPECT_EQ(topology.region, expected.members(expected.region_of(rank)));
        EXPECT_LE(topology.synchronisations, 2);
    }
}

Settings choosing(const char *algorithm, Level kind)
{
    Settings settings;
    settings.choice.fill(kDirectChoice);
    settings.choice[kAlltoallv] = find_choice(algorithm);
    settings.values.set(kRegion, kind);
    return settings;
}

TEST(EngineRegions, AreTheDomainsOfTheMachine)
{
    Random random(1);
    const SyntheticMachine machine("node:2 socket:2 numa:2 core:2");
    const Graph graph = match(dense_lists(random, machine.slots(), 0.5));
    for (Level kind : {Level::node, Level::socket, Level::numa}) {
        const std::vector<Place> places = places_of(machine);
        for (const char *algorithm : {"direct", "aggregated"}) {
            SCOPED_TRACE(algorithm);
            const std::vector<Settings> settings(graph.size(), choosing(algorithm, kind));
            const Created created = create_all(graph, places, settings);
            expect_regions(created, graph, Machine(places, kind));
            EXPECT_EQ(Machine(places, kind).regions(), 2 << static_cast<int>(kind));
        }
    }
}

// A rank may know too little of others; after a build all know the right number.
TEST(EngineRegions, EdgesAreCountedWithoutKnowingTheDomainsOfOthers)
{
    Random random(2);
    const SyntheticMachine machine("node:3 socket:2 core:2");
    Lists lists = dense_lists(random, machine.slots() - 1, 0.6);
    lists.sources.emplace_back(); // the last rank has no edges
    lists.destinations.emplace_back();
    const Graph graph = match(lists);
    const std::vector<Place> places = places_of(machine);
    const Machine expected(places, Level::socket);
    const std::vector<Settings> built(graph.size(), choosing("aggregated", Level::socket));
    expect_regions(create_all(graph, places, built, false), graph, expected);
    // If nothing is built, the number is too high.
    const std::vector<Settings> direct(graph.size(), choosing("direct", Level::socket));
    const Created created = create_all(graph, places, direct, false);
    EXPECT_GT(created.topologies[0].facts.edges_nonlocal, nonlocal_edges(graph, expected));
}

// auto must not decide by a guess when it can count.
TEST(EngineRegions, AutoDecidesByTheRegions)
{
    Random random(3);
    const SyntheticMachine machine("node:1 socket:4 core:4");
    const Graph graph = match(dense_lists(random, machine.slots(), 0.9));
    for (bool told : {true, false}) {
        Settings settings = choosing("auto", Level::socket);
        settings.values.set(kCombineLocal, 1);
        settings.costs[Link::node].message *= 10; // with the usual costs there is little to gain
        const std::vector<Place> places = places_of(machine);
        const Created created =
            create_all(graph, places, std::vector<Settings>(graph.size(), settings), told);
        expect_regions(created, graph, Machine(places, Level::socket));
        EXPECT_EQ(created.topologies[0].served[kAlltoallv].front().reason, Reason::gain);
        settings.values.set(kRegion, Level::node);
        const Created whole = create_all(graph, places_of(machine),
                                         std::vector<Settings>(graph.size(), settings), told);
        EXPECT_EQ(whole.topologies[0].served[kAlltoallv].front().reason, Reason::too_few_messages);
    }
}

// Edges by the link that they cross, counted from the graph and the places alone.
std::array<std::int64_t, kLinks> edges_over_links(const Graph &graph,
                                                  const std::vector<Place> &places)
{
    std::array<std::int64_t, kLinks> count{};
    for (const Neighbourhood &own : graph) {
        for (const EdgeEnd &end : own.out) {
            if (end.peer == kNoRank || end.peer == own.rank) {
                continue;
            }
            const Place &from = places[static_cast<std::size_t>(own.rank)];
            const Place &to = places[static_cast<std::size_t>(end.peer)];
            const bool socket = from.domain(Level::socket) == to.domain(Level::socket)
                                || from.domain(Level::numa) == to.domain(Level::numa);
            ++count[from.node != to.node                               ? 3
                    : from.domain(Level::gpu) == to.domain(Level::gpu) ? 0
                    : socket                                           ? 1
                                                                       : 2];
        }
    }
    return count;
}

TEST(EngineRegions, MessagesAreCountedByTheLinksTheyCross)
{
    Random random(5);
    const SyntheticMachine machine("node:3 socket:2 numa:2 gpu:2 core:2");
    const std::vector<Place> places = places_of(machine);
    const Graph graph = match(dense_lists(random, machine.slots(), 0.5));
    const std::array<std::int64_t, kLinks> edges = edges_over_links(graph, places);
    for (int l = 0; l < kLevels; ++l) {
        SCOPED_TRACE(level_name(l));
        const auto level = static_cast<Level>(l);
        const Created created = create_all(
            graph, places, std::vector<Settings>(graph.size(), choosing("aggregated", level)));
        const Traffic &traffic = created.topologies[0].expected.at(0).traffic;
        EXPECT_EQ(traffic.direct.messages, edges);
        EXPECT_EQ(traffic.direct.nonlocal, nonlocal_edges(graph, Machine(places, level)));
        // No message that crosses a region's border is counted within it.
        const Link within = created.topologies[0].facts.within_regions;
        for (int farther = static_cast<int>(within) + 1; farther < kLinks; ++farther) {
            EXPECT_LE(traffic.relayed.messages_over(static_cast<Link>(farther)),
                      traffic.relayed.nonlocal);
        }
        EXPECT_EQ(created.topologies[0].facts.edges_network, edges[3]);
    }
}

// The model's prediction for aggregated with given costs.
Expectation predicted(const char *description, Level level, const Costs &costs)
{
    Random random(6);
    const SyntheticMachine machine(description);
    const Graph graph = match(dense_lists(random, machine.slots(), 0.8));
    Settings settings = choosing("aggregated", level);
    settings.costs = costs;
    return create_all(graph, places_of(machine), std::vector<Settings>(graph.size(), settings))
        .topologies[0]
        .expected.at(0);
}

TEST(EngineRegions, RegionsInsideANodeArePricedAsTheLinksInsideIt)
{
    const Costs usual = default_costs();
    Costs expensive_network = usual; // the network is not used inside a node
    expensive_network[Link::network] = {1, 1, 1, 1};
    expensive_network.injection_byte = 1;
    Costs expensive_socket = usual;
    expensive_socket[Link::socket] = {1, 1, 1, 1};
    Costs expensive_node = usual;
    expensive_node[Link::node] = {1, 1, 1, 1};
    const char *const one_node = "node:1 socket:4 core:4";
    for (const Level level : {Level::socket, Level::node}) {
        SCOPED_TRACE(level_name(static_cast<int>(level)));
        const Expectation inside = predicted(one_node, level, usual);
        const Expectation same = predicted(one_node, level, expensive_network);
        EXPECT_EQ(inside.direct_seconds, same.direct_seconds);
        EXPECT_EQ(inside.relayed_seconds, same.relayed_seconds);
        EXPECT_EQ(inside.combining_threshold, same.combining_threshold);
        for (const Costs &expensive : {expensive_socket, expensive_node}) {
            const Expectation more = predicted(one_node, level, expensive);
            EXPECT_GT(more.direct_seconds, 1);
            EXPECT_GT(more.relayed_seconds, level == Level::socket ? 0.05 : 0);
        }
    }
    EXPECT_GT(predicted("node:2 socket:2 core:4", Level::socket, expensive_network).direct_seconds,
              1);
}

TEST(EngineRegions, NodesWithUnboundRanksStayWhole)
{
    Random random(4);
    const SyntheticMachine machine("node:3 socket:2 core:3");
    for (int seed = 0; seed < scaled(20) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Graph graph = random_graph(random, machine.slots());
        std::vector<Place> places = places_of(machine);
        places[static_cast<std::size_t>(draw(random, 0, 5))].domain(Level::socket) = kNoDomain;
        places[static_cast<std::size_t>(draw(random, 12, 17))].domain(Level::socket) = kNoDomain;
        const Created created =
            create_all(graph, places,
                       std::vector<Settings>(graph.size(), choosing("aggregated", Level::socket)));
        const Machine expected(places, Level::socket);
        EXPECT_EQ(expected.regions(), 4);
        expect_regions(created, graph, expected);
    }
}

} // namespace
} // namespace nbrhood::test
