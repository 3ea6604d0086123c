// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Topologies of all ranks, created in threads: all agree, whatever happens on one of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/toolkit/checked_messages.h"
#include "plan_fixture.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr auto kAlltoallv = static_cast<std::size_t>(Collective::neighbor_alltoallv);
int aggregated()
{
    return find_choice("aggregated");
}

Settings all_choices(int choice)
{
    Settings settings;
    settings.choice.fill(choice);
    return settings;
}

Graph plain_graph(Random &random, int ranks, double density)
{
    return match(dense_lists(random, ranks, density));
}

// No rank fails, hangs or differs from rank 0, isolated ones included.
void expect_agreement(const Created &created)
{
    const Topology &first = created.topologies[0];
    EXPECT_FALSE(created.mail_left);
    for (std::size_t r = 0; r < created.topologies.size(); ++r) {
        SCOPED_TRACE("rank " + std::to_string(r));
        const Topology &topology = created.topologies[r];
        ASSERT_EQ(created.errors[r], 0);
        EXPECT_EQ(topology.diagnostic, first.diagnostic);
        EXPECT_EQ(topology.synchronisations, first.synchronisations);
        EXPECT_LE(topology.synchronisations, 6);
        EXPECT_EQ(topology.wire.pattern, first.wire.pattern);
        EXPECT_EQ(topology.facts.edges, first.facts.edges);
        EXPECT_EQ(topology.facts.edges_nonlocal, first.facts.edges_nonlocal);
        EXPECT_EQ(topology.facts.ranks_with_edges, first.facts.ranks_with_edges);
        EXPECT_EQ(topology.facts.regions, first.facts.regions);
        for (std::size_t c = 0; c < kCollectives; ++c) {
            EXPECT_EQ(topology.served[c].front().choice, first.served[c].front().choice);
            EXPECT_EQ(topology.served[c].front().reason, first.served[c].front().reason);
            const Served &served = topology.served[c].front();
            EXPECT_EQ(served.program == nullptr, served.choice == kDefault);
        }
    }
}

// Every collective ends with this choice, on all ranks.
void expect_all(const Created &created, int choice, Diagnostic diagnostic, Reason reason)
{
    expect_agreement(created);
    EXPECT_EQ(created.topologies[0].diagnostic, diagnostic);
    for (std::size_t c = 0; c < kCollectives; ++c) {
        EXPECT_EQ(created.topologies[0].served[c].front().choice, choice) << "collective " << c;
        EXPECT_EQ(created.topologies[0].served[c].front().reason, reason)
            << describe(created.topologies[0].served[c].front().reason);
    }
}

TEST(Engine, DirectAndDefaultNeedOneSynchronisation)
{
    Random random(1);
    const Graph graph = plain_graph(random, 8, 0.5);
    for (int choice : {kDirectChoice, kDefault}) {
        const Created created = create_all(graph, make_machine({4, 4}), all_choices(choice));
        expect_all(created, choice, Diagnostic::none, Reason::parameter);
        EXPECT_EQ(created.topologies[0].synchronisations, 1);
        EXPECT_EQ(created.topologies[3].send_slots, graph[3].out.size());
        EXPECT_EQ(created.topologies[3].receive_slots, graph[3].in.size());
    }
}

TEST(Engine, AnAlgorithmThatIsNamedServesItsCollectives)
{
    Random random(2);
    const Created created =
        create_all(plain_graph(random, 8, 0.5), make_machine({4, 4}), all_choices(aggregated()));
    expect_all(created, aggregated(), Diagnostic::none, Reason::parameter);
    EXPECT_LE(created.topologies[0].synchronisations, 2);
}

// The programs that the engine hands out carry real blocks to their places.
TEST(Engine, ProgramsOfRandomGraphsDeliverAllBlocks)
{
    for (int seed = 0; seed < scaled(120) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 32);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        Settings settings = all_choices(aggregated());
        set_tuning(settings, random_tuning(random));
        const WireSettings wire{16, 64, 8, 0};
        settings.values.set(kPrepostedSize, wire.preposted_size);
        settings.values.set(kPackingThreshold, wire.packing_threshold);
        const Created created = create_all(graph, machine, settings);
        expect_agreement(created);
        Programs programs({});
        programs.hash = created.topologies[0].wire.pattern;
        for (std::size_t r = 0; r < graph.size(); ++r) {
            programs.of.push_back(graph[r].has_edges()
                                      ? created.topologies[r].served[kAlltoallv].front().program
                                      : nullptr);
        }
        World world(ranks, random(), {});
        Exchange exchange(graph, programs, wire, world, BlockKind::one_per_edge,
                          mixed_sizes(random(), wire), Sizes::told, 0.3, random);
        world.on_finished([&](Rank rank, AnyPlan &, int error) { exchange.finished(rank, error); });
        for (const Neighbourhood &own : graph) {
            if (exchange.takes_part(own.rank)) {
                exchange.start(own.rank, kTagBlocking);
            }
        }
        while (world.advance()) {}
        EXPECT_TRUE(exchange.faults().empty()) << joined(exchange.faults());
        for (const Neighbourhood &own : graph) {
            EXPECT_FALSE(exchange.active(own.rank));
            EXPECT_EQ(exchange.error(own.rank), 0);
        }
    }
}

TEST(Engine, ParametersThatDifferOnOneRankMakeAllDirect)
{
    Random random(3);
    const Graph graph = plain_graph(random, 6, 0.5);
    std::vector<std::function<void(Settings &)>> changes = {
        [](Settings &s) { s.choice[4] = kDefault; },
        [](Settings &s) { s.costs[Link::network].message *= 1.5; },
        [](Settings &s) { s.costs.phase_latency *= 1.5; },
    };
    for (const Parameter *parameter : parameters()) {
        if (parameter->equal == Equal::builds) {
            changes.emplace_back([=](Settings &s) { change_value(s.values, *parameter); });
        }
    }
    ASSERT_GE(changes.size(), 11U);
    for (const auto &change : changes) {
        for (std::size_t rank : {0U, 3U, 5U}) {
            std::vector<Settings> settings(6, all_choices(aggregated()));
            change(settings[rank]);
            expect_all(create_all(graph, make_machine({3, 3}), settings), kDirectChoice,
                       Diagnostic::parameters_differ, Reason::parameters_differ);
        }
    }
    // A fact of the node, not a parameter.
    std::vector<Settings> settings(6, all_choices(aggregated()));
    settings[1].ranks_per_core = 8;
    const Created created = create_all(graph, make_machine({3, 3}), settings);
    expect_agreement(created);
    EXPECT_EQ(created.topologies[0].diagnostic, Diagnostic::none);
}

// Nothing is built and nothing else is exchanged, so ranks that take no part do not wait.
TEST(Engine, AComponentThatIsNotTheSameOnAllRanksServesNone)
{
    Random random(6);
    const Graph graph = plain_graph(random, 6, 0.8);
    const Reason reason = Reason::not_everywhere;
    for (std::size_t rank : {0U, 3U, 5U}) {
        for (std::uint32_t presence : {0U, 5U}) {
            std::vector<Settings> settings(6, all_choices(aggregated()));
            settings[rank].presence = presence;
            settings[rank].values.set(kCombiningThreshold, 4096); // has no effect any more
            const Created created = create_all(graph, make_machine({3, 3}), settings);
            expect_all(created, kDefault, Diagnostic::not_everywhere, reason);
            for (const Topology &topology : created.topologies) {
                EXPECT_EQ(topology.differing_rank, rank == 0 ? 1 : static_cast<Rank>(rank));
                EXPECT_EQ(topology.first_presence, rank == 0 ? presence : 1);
                EXPECT_EQ(topology.differing_presence, rank == 0 ? 1 : presence);
                EXPECT_EQ(topology.synchronisations, 1);
            }
        }
    }
    std::vector<Settings> nowhere(6, all_choices(aggregated()));
    for (Settings &settings : nowhere) {
        settings.presence = 0;
    }
    expect_all(create_all(graph, make_machine({3, 3}), nowhere), kDefault, Diagnostic::none,
               reason);
}

TEST(Engine, EdgesThatDoNotMatchMakeAllDirect)
{
    Random random(4);
    for (int choice : {kAuto, aggregated()}) {
        Graph graph = plain_graph(random, 6, 0.8);
        graph[2].out.pop_back();
        expect_all(create_all(graph, make_machine({3, 3}), all_choices(choice)), kDirectChoice,
                   Diagnostic::edges_do_not_match, Reason::edges_do_not_match);
    }
}

// Whichever rank fails in whichever superstep: all ranks use direct and know why, or no rank
// noticed.
TEST(Engine, ARankThatCannotBuildMakesAllDirect)
{
    Random random(5);
    Lists lists = dense_lists(random, 9, 0.6);
    for (auto *ends : {&lists.sources, &lists.destinations}) { // rank 8 has no edges
        ends->at(8).clear();
        for (auto &own : *ends) {
            own.erase(std::remove(own.begin(), own.end(), 8), own.end());
        }
    }
    const Graph graph = match(lists);
    const Machine machine = make_machine({4, 1, 2, 2});
    int failures = 0;
    for (Rank rank = 0; rank < 9; ++rank) {
        for (int step = 0; step < 5; ++step) {
            SCOPED_TRACE("rank " + std::to_string(rank) + ", step " + std::to_string(step));
            Settings settings;
            settings.choice.fill(kDirectChoice);
            settings.choice[kAlltoallv] = aggregated();
            settings.fail_rank = rank;
            settings.fail_step = step;
            const Created created = create_all(graph, machine, settings);
            expect_agreement(created);
            const Topology &any = created.topologies[0];
            EXPECT_EQ(any.synchronisations, 2);
            const bool failed = any.diagnostic == Diagnostic::cannot_build;
            failures += failed ? 1 : 0;
            EXPECT_EQ(any.served[kAlltoallv].front().choice, failed ? kDirectChoice : aggregated());
            EXPECT_TRUE(failed || any.diagnostic == Diagnostic::none);
            EXPECT_TRUE(failed || step > 1 || rank == 8) << "the first two steps always take place";
        }
    }
    EXPECT_GE(failures, 8 * 2 + 4);
}

// A corrupted message, and one that contradicts the messages to other ranks: all ranks use direct,
// and the creation ends.
TEST(Engine, AMessageThatCannotBeRightMakesAllDirect)
{
    Random random(9);
    const Graph graph = plain_graph(random, 9, 0.6);
    const Machine machine = make_machine({4, 3, 2});
    Settings settings;
    settings.choice.fill(kDirectChoice);
    settings.choice[kAlltoallv] = aggregated();
    constexpr int kDecision = 2;       // from leader to leader
    constexpr std::size_t kTotals = 1; // behind the numbers of built patterns: numbers of two words
    int messages = 0;
    create_all(graph, machine, std::vector<Settings>(9, settings),
               [&](Rank, Message &) { ++messages; });
    ASSERT_GT(messages, 9);
    for (int wrong = -1; wrong < messages; ++wrong) {
        SCOPED_TRACE("message " + std::to_string(wrong));
        int number = 0;
        const Created created = create_all(
            graph, machine, std::vector<Settings>(9, settings), [&](Rank from, Message &message) {
                if (number++ == wrong) {
                    message.words.back() ^= 1;
                } else if (wrong < 0 && from == 0 && message.peer == 4
                           && message.words.size() > kTotals) {
                    try {
                        auto words = CheckedMessages(4)
                                         .open(kDecision, Message{0, false, message.words})
                                         .copy();
                        words.at(kTotals) += 5;
                        message = CheckedMessages(0).write(kDecision, 4, false, words);
                    } catch (const BadMessage &) { // another message
                    }
                }
            });
        for (const Topology &topology : created.topologies) {
            EXPECT_EQ(topology.diagnostic, Diagnostic::cannot_build);
            EXPECT_EQ(topology.served[kAlltoallv].front().choice, kDirectChoice);
            EXPECT_NE(topology.served[kAlltoallv].front().program, nullptr);
        }
        EXPECT_EQ(created.errors, std::vector<int>(9, 0)) << "no rank waits forever";
    }
}

TEST(Engine, AutoDeclinesWhereTooFewEdgesCross)
{
    Lists ring(8);
    for (Rank rank = 0; rank < 8; ++rank) {
        ring.add(rank, (rank + 1) % 8);
    }
    const Created created = create_all(match(ring), make_machine({4, 4}), all_choices(kAuto));
    expect_agreement(created);
    EXPECT_EQ(created.topologies[0].served[kAlltoallv].front().choice, kDirectChoice);
    EXPECT_EQ(created.topologies[0].served[kAlltoallv].front().reason, Reason::too_few_messages);
    EXPECT_EQ(created.topologies[0].synchronisations, 1) << "nothing was built";
}

// Only the collectives that the user leaves to Open MPI go there, on ranks without edges, too.
TEST(Engine, AutoServesDirectWhatGainsNothing)
{
    Lists ring(9); // rank 8 has no edges
    for (Rank rank = 0; rank < 8; ++rank) {
        ring.add(rank, (rank + 1) % 8);
    }
    Settings settings = all_choices(kAuto);
    settings.choice[kAlltoallv] = kDefault;
    const Created created = create_all(match(ring), make_machine({4, 5}), settings);
    expect_agreement(created);
    for (const Topology &topology : created.topologies) {
        for (std::size_t c = 0; c < kCollectives; ++c) {
            EXPECT_EQ(topology.served[c].front().choice,
                      c == kAlltoallv ? kDefault : kDirectChoice);
        }
        EXPECT_EQ(topology.served[0].front().program, topology.served[1].front().program)
            << "collectives of one kind share a program";
    }
}

TEST(Engine, AutoDeclinesAPatternThatDoesNotPay)
{
    Random random(6);
    Lists lists = dense_lists(random, 15, 0.6);
    lists.sources.emplace_back(); // rank 15 has no edges but receives the decision, too
    lists.destinations.emplace_back();
    const Topology known =
        create_all(match(lists), make_machine({4, 4, 8}), all_choices(kAuto)).topologies[0];
    // So expensive that the phases of any pattern cost a little more than it saves in messages.
    double expensive_phase = 0;
    for (const Expectation &expected : known.expected) {
        const auto more = static_cast<double>(expected.traffic.phases - 1);
        const double saved = expected.direct_seconds - expected.relayed_seconds
                             + more * all_choices(kAuto).costs.phase_latency;
        expensive_phase = std::max(expensive_phase, 1.02 * saved / more);
    }
    for (bool expensive : {true, false}) {
        Settings settings = all_choices(kAuto);
        settings.costs.phase_latency = expensive ? expensive_phase : 0.0;
        const Created created = create_all(match(lists), make_machine({4, 4, 8}), settings);
        expect_agreement(created);
        const Served &served = created.topologies[15].served[kAlltoallv].front();
        EXPECT_EQ(served.choice == kDirectChoice, expensive);
        EXPECT_EQ(served.reason, expensive ? Reason::no_gain : Reason::gain);
        EXPECT_EQ(created.topologies[0].synchronisations, 2);
        bool gains = false;
        for (const Expectation &found : created.topologies[3].expected) {
            EXPECT_EQ(found.traffic.direct.nonlocal, created.topologies[3].facts.edges_nonlocal);
            gains = gains || found.relayed_seconds < found.direct_seconds;
        }
        EXPECT_EQ(gains, !expensive);
    }
}

// The component's collectives are right also where Open MPI's own are wrong
// (test/mpi/STOCK-BUGS.md).
TEST(Engine, AutoDecidesOnShortPeriodsAndNullNeighboursAsOnOtherGraphs)
{
    Random random(8);
    Lists lists = dense_lists(random, 16, 0.8);
    lists.sources[3].push_back(kNoRank);
    lists.destinations[5].push_back(kNoRank);
    for (const Graph &graph :
         {match(lists), cartesian_graph({2, 2, 2, 2}, {true, true, true, true})}) {
        Settings settings = all_choices(kAuto);
        settings.costs.phase_latency = 0;
        settings.costs[Link::node].message = 1e-9;
        const Created created = create_all(graph, make_machine({4, 4, 4, 4}), settings);
        expect_agreement(created);
        EXPECT_EQ(created.topologies[0].diagnostic, Diagnostic::none);
        for (std::size_t c = 0; c < kCollectives; ++c) {
            EXPECT_EQ(created.topologies[0].served[c].front().reason, Reason::gain);
        }
    }
}

TEST(Engine, RanksOfRandomGraphsAgreeUnderAuto)
{
    for (int seed = 0; seed < scaled(120) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 500);
        const int ranks = draw(random, 1, 32);
        Settings settings = all_choices(kAuto);
        set_tuning(settings, random_tuning(random));
        settings.costs.phase_latency = 1e-6 * draw(random, 0, 3);
        const Graph graph = random_graph(random, ranks);
        const Created created = create_all(graph, random_machine(random, ranks), settings);
        expect_agreement(created);
        EXPECT_EQ(created.topologies[0].diagnostic, Diagnostic::none);
    }
}

} // namespace
} // namespace nbrhood::test
