// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Summaries of a graph, known before a build, compared with the counts of builders.
#include "build/graph_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "algorithms/aggregated/estimated_traffic.h"
#include "component_builds.h"
#include "support.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

// ---- Counting distinct items ----

// The mean estimate, over many rounds, for this many things, each seen by three ranks.
double counted(Random &random, int things, int rounds)
{
    double sum = 0;
    for (int round = 0; round < rounds; ++round) {
        std::array<DistinctCount, 3> seen;
        for (int i = 0; i < things; ++i) {
            const std::uint64_t thing = random();
            seen.at(static_cast<std::size_t>(draw(random, 0, 2))).add(thing);
            seen[0].add(thing);
        }
        seen[1].merge(seen[2]);
        seen[0].merge(seen[1]);
        WordWriter words;
        seen[0].put(words);
        WordReader reader(words.words());
        const std::optional<std::int64_t> count = DistinctCount::take(reader).count();
        EXPECT_TRUE(count);
        sum += static_cast<double>(count.value_or(0));
    }
    return sum / rounds;
}

TEST(DistinctCount, CountsFewAndMany)
{
    Random random(1);
    for (const int things : {0, 1, 4, 12, 30, 60, 100, 250, 1000, 5000, 30000}) {
        EXPECT_NEAR(counted(random, things, 100), things, 1 + 0.05 * things);
        EXPECT_NEAR(counted(random, things, 1), things, 1 + 0.5 * things);
    }
}

TEST(DistinctCount, SaysWhereThereAreTooMany)
{
    DistinctCount all;
    for (std::uint64_t thing = 0; thing < 1000000; ++thing) {
        all.add(thing);
    }
    EXPECT_FALSE(all.count());
    const std::vector<std::int32_t> few(19);
    WordReader reader(few);
    EXPECT_THROW(DistinctCount::take(reader), BadMessage);
}

// ---- What all ranks know together ----

Settings settings_with(double ranks_per_core, bool over_tcp)
{
    Settings settings;
    settings.ranks_per_core = ranks_per_core;
    settings.over_tcp = over_tcp;
    settings.choice.fill(kAuto);
    return settings;
}

RankSummary rank_summary(const Neighbourhood &own, const Machine &machine, const Settings &settings)
{
    RankSummary summary(own, settings, machine.place(own.rank).node, [&](Rank peer) {
        return machine.local(own.rank, peer) ? Locality::same_region : Locality::elsewhere;
    });
    for (const auto *ends : {&own.in, &own.out}) {
        for (const EdgeEnd &end : *ends) {
            if (end.peer != kNoRank) {
                summary.add_neighbour(end.peer, machine.place(end.peer).node);
            }
        }
    }
    return summary;
}

// Converted to words and back, as in messages.
GraphSummary summary_of_all(const Graph &graph, const Machine &machine, const Settings &settings)
{
    GraphSummary all;
    for (const Neighbourhood &own : graph) {
        WordWriter written;
        rank_summary(own, machine, settings).summary().put(written);
        WordReader words(written.words());
        all.merge(GraphSummary::take(words));
        words.expect_end();
    }
    return all;
}

TEST(GraphSummary, IsThatOfTheGraph)
{
    Random random(2);
    for (int round = 0; round < scaled(100); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 60);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        const std::optional<Survey> all =
            summary_of_all(graph, machine, settings_with(1, false)).estimate();
        std::set<std::int32_t> nodes;
        std::set<std::pair<std::int32_t, std::int32_t>> pairs;
        EndCounts ends;
        std::int64_t edges = 0;
        for (const Neighbourhood &own : graph) {
            std::set<std::int32_t> of_rank;
            const auto look = [&](const std::vector<EdgeEnd> &of, std::int64_t &some,
                                  std::int64_t &nonlocal, bool out) {
                bool any = false;
                bool far = false;
                for (const EdgeEnd &end : of) {
                    if (end.peer != kNoRank && end.peer != own.rank) {
                        any = true;
                        far = far || !machine.local(own.rank, end.peer);
                        edges += out ? 1 : 0;
                        if (out && !machine.local(own.rank, end.peer)) {
                            pairs.insert(
                                {machine.region_of(own.rank), machine.region_of(end.peer)});
                            of_rank.insert(machine.region_of(end.peer));
                        }
                    }
                }
                some += any ? 1 : 0;
                nonlocal += far ? 1 : 0;
            };
            nodes.insert(machine.region_of(own.rank));
            look(own.out, ends.senders, ends.nonlocal_senders, true);
            look(own.in, ends.receivers, ends.nonlocal_receivers, false);
            ends.destination_regions += static_cast<std::int64_t>(of_rank.size());
        }
        ASSERT_TRUE(all);
        EXPECT_EQ(all->facts.edges, edges);
        ASSERT_TRUE(all->facts.ends);
        EXPECT_EQ(all->facts.ends->destination_regions, ends.destination_regions);
        EXPECT_EQ(all->facts.ends->senders, ends.senders);
        EXPECT_EQ(all->facts.ends->receivers, ends.receivers);
        EXPECT_EQ(all->facts.ends->nonlocal_senders, ends.nonlocal_senders);
        EXPECT_EQ(all->facts.ends->nonlocal_receivers, ends.nonlocal_receivers);
        EXPECT_NEAR(all->facts.regions, static_cast<double>(nodes.size()),
                    1 + 0.3 * static_cast<double>(nodes.size()));
        EXPECT_NEAR(static_cast<double>(all->facts.ends->region_pairs),
                    static_cast<double>(pairs.size()), 2 + 0.4 * static_cast<double>(pairs.size()));
    }
}

// ---- Against builders ----

Graph ring(int ranks, int reach)
{
    Lists lists(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        for (int step = 1; step <= reach; ++step) {
            lists.add(rank, (rank + step) % ranks);
            lists.add(rank, (rank + ranks - step) % ranks);
        }
    }
    return match(lists);
}

// Half of the ranks have many edges inside their nodes; all have a few anywhere.
Graph uneven(Random &random, const Machine &machine)
{
    Lists lists(machine.ranks());
    for (Rank a = 0; a < machine.ranks(); ++a) {
        for (Rank b = 0; b < machine.ranks(); ++b) {
            const bool near = a < machine.ranks() / 2 && machine.local(a, b);
            if (a != b && (chance(random, 0.03) || (near && chance(random, 0.5)))) {
                lists.add(a, b);
            }
        }
    }
    return match(lists);
}

Graph some_graph(Random &random, const Machine &machine)
{
    const int ranks = machine.ranks();
    switch (draw(random, 0, 6)) {
    case 0:
        return match(dense_lists(random, ranks, 0.01 * draw(random, 1, 30)));
    case 1:
        return ring(ranks, draw(random, 1, 8));
    case 2:
        return cartesian_graph({8, ranks / 8}, {true, true});
    case 3:
        return cartesian_graph({4, 4, ranks / 16}, {true, false, true});
    case 4:
        return match(sparse_lists(random, ranks, draw(random, 1, 6)));
    case 5:
        return uneven(random, machine);
    default:
        return random_graph(random, ranks);
    }
}

// The least time of the patterns of these rows, relative to direct messages, from the counts of
// builders; nothing if there are no patterns.
std::optional<double> least_by_builders(const Graph &graph, const Machine &machine,
                                        Settings settings)
{
    std::optional<double> least;
    for (const char *name : {"aggregated", "two_step"}) {
        const int choice = find_choice(name);
        if (settings.ranks_per_core > 1 && !row_of(choice).shares_cores) {
            continue; // `auto` may not choose this row if ranks share cores
        }
        settings.choice.fill(choice);
        const Created created = create_all(graph, machine, settings);
        for (const Topology &topology : created.topologies) {
            for (const Expectation &expected : topology.expected) {
                const double part = expected.relayed_seconds / expected.direct_seconds;
                least = std::min(least.value_or(part), part);
            }
        }
    }
    return least;
}

// Few graphs that would gain are refused, and these would gain little.
TEST(GraphSummary, RefusesWhatBuildersWould)
{
    Random random(3);
    int refused = 0;
    int lost = 0;
    for (int round = 0; round < scaled(300); ++round) {
        SCOPED_TRACE(round);
        constexpr int kRanks = 64;
        const int of_node = 1 << draw(random, 2, 5);
        const Machine machine =
            make_machine(std::vector<int>(static_cast<std::size_t>(kRanks / of_node), of_node),
                         chance(random, 0.3) ? Placement::by_node : Placement::by_slot);
        const Graph graph = some_graph(random, machine);
        const Settings settings = settings_with(chance(random, 0.5) ? 1 : 16, true);
        const std::optional<Survey> all = summary_of_all(graph, machine, settings).estimate();
        ASSERT_TRUE(all);
        Topology topology;
        Creator creator(graph[0], settings, topology);
        creator.begin(*all, Participants{});
        if (!creator.refuses(Collective::neighbor_alltoallv)) {
            continue;
        }
        const std::optional<double> least = least_by_builders(graph, machine, settings);
        ++refused;
        lost += least && *least < kWorthIt ? 1 : 0;
        EXPECT_GT(least.value_or(1), 0.8);
    }
    EXPECT_GT(refused, 0);
    EXPECT_LE(lost, 1 + refused / 20);
}

// ---- In a build ----

constexpr int kBlockBytes = 8;

// A ring in the order of its ranks, on nodes of 16.
Builds ring_on_nodes(Random &random, const Settings &settings, Earlier earlier = Earlier::none,
                     Collective collective = Collective::neighbor_alltoallv)
{
    constexpr int kRanks = 64;
    return Builds(ring(kRanks, 1), make_machine({16, 16, 16, 16}),
                  std::vector<Settings>(kRanks, settings), random, collective, kBlockBytes,
                  earlier);
}

// The wave alone is enough for the refusal, and all ranks learn it.
void expect_refused(double ranks_per_core, Collective collective)
{
    SCOPED_TRACE(ranks_per_core);
    Random random(4);
    Builds builds =
        ring_on_nodes(random, settings_with(ranks_per_core, true), Earlier::none, collective);
    builds.run(random);
    expect_right(builds);
    for (const auto &rank : builds.ranks) {
        EXPECT_FALSE(rank->joined);
        EXPECT_FALSE(rank->build.first_served());
        EXPECT_TRUE(rank->build.may_gain_later());
        EXPECT_EQ(rank->build.topology().facts.call_blocks, 128);
        EXPECT_EQ(rank->build.topology().facts.call_bytes, 128 * kBlockBytes);
        EXPECT_EQ(builds.served(rank->rank).reason, Reason::too_few_messages);
    }
}

// For an allgather distance_halving may have to be refused, too.
TEST(GraphSummary, RefusesARing)
{
    for (const double ranks_per_core : {1, 16}) {
        expect_refused(ranks_per_core, Collective::neighbor_alltoallv);
        expect_refused(ranks_per_core, Collective::neighbor_allgather);
    }
}

// The summary does not refuse a build in three cases: a pattern serves already, the user set how to
// relay, or a difference between ranks has to be reported.
TEST(GraphSummary, LeavesOthersToLook)
{
    Random random(5);
    const auto expect_looked_at = [&](const std::vector<Settings> &settings, Earlier earlier) {
        Builds builds(ring(64, 1), make_machine({16, 16, 16, 16}), settings, random,
                      Collective::neighbor_alltoallv, kBlockBytes, earlier);
        builds.run(random);
        for (const auto &rank : builds.ranks) {
            EXPECT_TRUE(rank->joined);
        }
    };
    const std::vector<Settings> plain(64, settings_with(16, true));
    expect_looked_at(plain, Earlier::decided);
    const std::function<void(Settings &)> changes[] = {
        [](Settings &s) { s.values.set(kRelaysPerRegion, 2); },
        [](Settings &s) { s.values.set(kCombineLocal, 1); },
        [](Settings &s) { s.values.set(kRegion, Level::socket); }};
    for (const auto &change : changes) {
        std::vector<Settings> changed = plain;
        std::for_each(changed.begin(), changed.end(), change);
        expect_looked_at(changed, {});
    }
    std::vector<Settings> different = plain;
    different[17].values.set(kCombiningThreshold, std::size_t{12345});
    expect_looked_at(different, {});
}

} // namespace
} // namespace nbrhood::test
