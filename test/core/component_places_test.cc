// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The facts that ranks of a component find out about each other during a build.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "component_builds.h"
#include "engine/survey.h"
#include "graph/roles.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr Collective kOneCount = Collective::neighbor_alltoall;

// Ranks of some nodes are bound to no domain.
Machine machine_with_domains(Random &random, int ranks)
{
    const Machine nodes = random_machine(random, ranks);
    std::vector<Place> places;
    for (Rank rank = 0; rank < ranks; ++rank) {
        places.push_back(nodes.place(rank));
        const bool bound = places.back().node % 3 != 0 || !chance(random, 0.3);
        places.back().domain(Level::socket) =
            static_cast<std::int16_t>(bound ? draw(random, 1, 2) : kNoDomain);
    }
    return Machine(places, Level::socket);
}

// The regions are the same as those computed from the whole machine.
TEST(ComponentPlaces, RegionsOfSockets)
{
    Random random(1);
    int in_part = 0;
    for (int round = 0; round < scaled(200); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 40);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = machine_with_domains(random, ranks);
        Settings settings = settings_of(find_choice("aggregated"));
        settings.values.set(kRegion, Level::socket);
        Builds builds(graph, machine,
                      std::vector<Settings>(static_cast<std::size_t>(ranks), settings), random);
        builds.run(random);
        expect_right(builds);
        const std::vector<Rank> component = components_of(graph);
        for (const auto &rank : builds.ranks) {
            const Topology &topology = rank->build.topology();
            if (topology.region.empty()) {
                continue; // no edge leaves a region, or there is no edge
            }
            // The component's own part of the machine.
            std::vector<Rank> members;
            std::vector<Place> places;
            for (Rank other = 0; other < ranks; ++other) {
                if (component[static_cast<std::size_t>(other)]
                    == component[static_cast<std::size_t>(rank->rank)]) {
                    members.push_back(other);
                    places.push_back(machine.place(other));
                }
            }
            in_part += members.size() < graph.size() ? 1 : 0;
            const Machine part(places, Level::socket);
            const auto own = std::find(members.begin(), members.end(), rank->rank);
            std::vector<Rank> region;
            for (const Rank number :
                 part.members(part.region_of(static_cast<Rank>(own - members.begin())))) {
                region.push_back(members[static_cast<std::size_t>(number)]);
            }
            EXPECT_EQ(topology.region, region);
            EXPECT_EQ(topology.facts.ranks_with_edges, static_cast<std::int64_t>(members.size()));
            EXPECT_EQ(topology.facts.regions, part.regions());
            EXPECT_EQ(topology.facts.regions_of_node, part.regions_of_node());
            EXPECT_EQ(topology.facts.within_regions, part.link_within_regions());
            EXPECT_EQ(topology.whole_nodes, part.whole_nodes());
        }
    }
    EXPECT_GT(in_part, 0);
}

// There are few edges, each with one in the other direction; many components have no cycle.
Graph both_ways(Random &random, int ranks)
{
    Lists lists(ranks);
    for (Rank a = 0; a < ranks; ++a) {
        for (Rank b = 0; b < a; ++b) {
            if (chance(random, 1.5 / ranks)) {
                lists.add(a, b);
                lists.add(b, a);
            }
        }
        if (chance(random, 0.5 / ranks)) {
            lists.add(a, a);
        }
    }
    return match(lists);
}

// The waves over ranks and over roles give the same result as an inspection of the whole graph.
class RolesOfAComponent : public testing::TestWithParam<Graph (*)(Random &, int)> {};

INSTANTIATE_TEST_SUITE_P(ComponentPlaces, RolesOfAComponent,
                         testing::Values(random_graph, both_ways));

TEST_P(RolesOfAComponent, AsTheWholeGraphSays)
{
    Random random(2);
    int known = 0;
    int unknown = 0;
    for (int round = 0; round < scaled(400); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 24);
        Builds builds(GetParam()(random, ranks), random_machine(random, ranks),
                      std::vector<Settings>(static_cast<std::size_t>(ranks),
                                            settings_of(find_choice("aggregated"), kOneCount)),
                      random, kOneCount);
        builds.run(random);
        expect_right(builds);
        const std::vector<Rank> component = components_of(builds.graph_);
        std::map<Rank, Roles> roles;
        for (const Neighbourhood &own : builds.graph_) {
            Roles &of = roles.emplace(component[static_cast<std::size_t>(own.rank)], Roles(ranks))
                            .first->second;
            for (const EdgeEnd &end : own.out) {
                if (end.peer != kNoRank) {
                    of.add_edge(own.rank, end.peer);
                }
            }
        }
        for (const auto &rank : builds.ranks) {
            if (rank->build.first_served()) {
                const bool one_size =
                    roles.at(component[static_cast<std::size_t>(rank->rank)]).one_size();
                EXPECT_EQ(builds.served(rank->rank).known_sizes, one_size);
                ++(one_size ? known : unknown);
            }
        }
    }
    EXPECT_GT(known, 0);
    EXPECT_GT(unknown, 0);
}

// With more ranks a rank does not send or keep more, except for a few more waves.
TEST(ComponentPlaces, GrowWithDegreeOnly)
{
    const auto most_bytes = [](int ranks) {
        Random random(3);
        Lists lists(ranks);
        for (Rank rank = 0; rank < ranks; ++rank) {
            for (const Rank step : {1, 2, 5, 40}) {
                lists.add(rank, (rank + step) % ranks);
                lists.add((rank + step) % ranks, rank);
            }
        }
        Builds builds(match(lists), make_machine(std::vector<int>(ranks / 8, 8)),
                      std::vector<Settings>(static_cast<std::size_t>(ranks), settings_of(kAuto)),
                      random);
        builds.run(random);
        expect_right(builds);
        std::int64_t most = 0;
        for (Rank rank = 0; rank < ranks; ++rank) {
            const auto &counts =
                builds.network.counts(rank)[static_cast<std::size_t>(Channel::step)];
            most = std::max({most, counts.bytes_sent, counts.bytes_received});
        }
        return most;
    };
    EXPECT_LT(most_bytes(scaled_ranks(2048)), most_bytes(scaled_ranks(256)) * 3 / 2);
}

// The choice of `auto` follows from the blocks of the call that begins the build. If no pattern
// gains with these, all ranks may build again. They agree on a call only if another algorithm
// serves until then.
void expect_blocks_seen(Collective collective, std::int64_t bytes, bool gains, bool decided)
{
    Random random(4);
    constexpr int kRanks = 24;
    Builds builds(match(dense_lists(random, kRanks, 0.5)), make_machine({6, 6, 6, 6}),
                  std::vector<Settings>(kRanks, settings_of(kAuto, collective)), random, collective,
                  bytes, decided ? Earlier::decided : Earlier::none);
    builds.run(random);
    expect_right(builds);
    for (const auto &rank : builds.ranks) {
        EXPECT_EQ(rank->build.first_served().has_value(), gains);
        EXPECT_EQ(rank->build.may_gain_later(), !gains);
        EXPECT_TRUE(gains || builds.served(rank->rank).reason == Reason::blocks_too_large);
        const std::optional<CallCounts> first = rank->build.first_direct();
        ASSERT_EQ(first.has_value(), decided && !gains);
        EXPECT_TRUE(!first || first->calls >= rank->limit.calls);
        EXPECT_TRUE(!first || first->calls == builds.ranks.front()->build.first_direct()->calls);
    }
}

TEST(ComponentPlaces, BlocksThatWereSeen)
{
    for (const Collective collective : {Collective::neighbor_alltoallv, kOneCount}) {
        for (const bool decided : {false, true}) {
            expect_blocks_seen(collective, 8, true, decided);
            expect_blocks_seen(collective, 4 << 20, false, decided);
        }
    }
}

// A build must pay back within as many calls as were made, or as the program declares.
TEST(ComponentPlaces, SmallGainsAreForManyCalls)
{
    Random random(7);
    constexpr int kRanks = 24;
    int small_gains = 0;
    for (const double density : {0.15, 0.2, 0.3, 0.5}) {
        for (const double message : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0}) {
            const Graph graph = match(dense_lists(random, kRanks, density));
            const auto serve = [&](std::uint32_t reuse, Earlier earlier) {
                std::vector<Settings> settings(kRanks, settings_of(kAuto));
                for (Settings &own : settings) {
                    own.reuse = reuse;
                    own.costs[Link::node].message *= message;
                }
                Builds builds(graph, make_machine({6, 6, 6, 6}), settings, random,
                              Collective::neighbor_alltoallv, 40, earlier);
                builds.run(random);
                expect_right(builds);
                return builds.served(0).choice;
            };
            const int usual = serve(0, Earlier::none);
            EXPECT_EQ(usual, serve(kCallsToFollow, Earlier::none));
            const int many = serve(100 * kCallsToFollow, Earlier::none);
            EXPECT_EQ(many, serve(0, Earlier::decided)) << "all that it serves from here on";
            EXPECT_TRUE(usual == many || usual == kDirectChoice);
            small_gains += usual != many ? 1 : 0;
        }
    }
    EXPECT_GT(small_gains, 0);
}

TEST(NodeMembers, BitsGoUpAndDown)
{
    NodeMembers left, right, all;
    left.add(7, 0);
    left.add(7, 40);
    right.add(7, 3);
    right.add(-2, 1);
    WordWriter words, some;
    left.put(words);
    right.put(words);
    EXPECT_EQ(all.take(WordReader(words.words())), (std::set<std::int32_t>{-2, 7}));
    std::vector<Rank> list(41);
    for (Rank rank = 0; rank < 41; ++rank) {
        list[static_cast<std::size_t>(rank)] = 100 + rank;
    }
    EXPECT_EQ(all.of(7, list), (std::vector<Rank>{100, 103, 140}));
    all.put({-2}, some);
    EXPECT_EQ(some.words(), (std::vector<std::int32_t>{-2, 1, 2}));
    list.pop_back();
    EXPECT_THROW(all.of(7, list), BadMessage) << "the node has fewer ranks";
    EXPECT_THROW(all.of(8, list), BadMessage);
    for (const std::vector<std::int32_t> &wrong :
         {std::vector<std::int32_t>{7}, {7, 2, 1}, {7, -1}, {7, 1, 1, 8}}) {
        EXPECT_THROW(NodeMembers().take(WordReader(wrong)), BadMessage);
    }
}

TEST(KnownRanks, PlacesAsWords)
{
    RankPlace own;
    own.leader = 12;
    own.place.node = -5;
    own.place.domains = {kNoDomain, 3, kNoSuchLevel, 32767, 17};
    WordWriter words;
    own.put(words);
    ASSERT_EQ(words.words().size(), RankPlace::kWords);
    WordReader reader(words.words());
    EXPECT_EQ(RankPlace::take(reader), own);
    for (std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
        std::vector<std::int32_t> wrong = words.words();
        wrong[i] = i == 0 ? -1 : static_cast<std::int32_t>(0x80000000);
        WordReader changed(wrong);
        EXPECT_THROW(RankPlace::take(changed), BadMessage);
    }
    KnownRanks known;
    known.add(12, own);
    EXPECT_NO_THROW(known.add(12, own));
    own.place.node = 6;
    EXPECT_THROW(known.add(12, own), BadMessage) << "a rank in two places";
    EXPECT_FALSE(known.knows(13));
    EXPECT_THROW(known.of(13), std::out_of_range);
}

TEST(Survey, AsWords)
{
    Survey survey;
    survey.facts.ranks_per_core = 2.5;
    survey.facts.edges = 7;
    survey.settings = ~std::uint64_t{0};
    survey.sets_of_roles = 3;
    WordWriter words;
    survey.put(words);
    WordReader reader(words.words());
    const Survey taken = Survey::take(reader);
    EXPECT_EQ(reader.left(), 0U);
    EXPECT_EQ(taken.facts.ranks_per_core, 2.5);
    EXPECT_EQ(taken.facts.edges, 7);
    EXPECT_EQ(taken.settings, ~std::uint64_t{0});
    EXPECT_EQ(taken.sets_of_roles, 3);
    std::vector<std::int32_t> shorter = words.words();
    shorter.pop_back();
    WordReader too_few(shorter);
    EXPECT_THROW(Survey::take(too_few), BadMessage);
}

} // namespace
} // namespace nbrhood::test
