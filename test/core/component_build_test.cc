// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Components of a graph build their patterns independently, with random message delays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "algorithms/common_neighbor/common_neighbor.h"
#include "component_builds.h"
#include "build/trial.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

TEST(ComponentBuild, RandomGraphs)
{
    Random random(1);
    int gained = 0;
    for (int round = 0; round < scaled(300); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 1, 40);
        const Settings settings = settings_of(find_choice("aggregated"));
        Builds builds(random_graph(random, ranks), random_machine(random, ranks),
                      std::vector<Settings>(static_cast<std::size_t>(ranks), settings), random);
        builds.run(random);
        expect_right(builds);
        for (const auto &rank : builds.ranks) {
            gained += rank->build.first_served() ? 1 : 0;
        }
    }
    EXPECT_GT(gained, 0);
}

// The pattern of a component does not depend on whether all ranks build together.
TEST(ComponentBuild, SameAsAtCreation)
{
    Random random(2);
    for (int round = 0; round < scaled(20); ++round) {
        SCOPED_TRACE(round);
        constexpr int kRanks = 24;
        const Graph graph = match(dense_lists(random, kRanks, 0.5));
        const Machine machine = make_machine({6, 6, 6, 6});
        const Settings settings = settings_of(kAuto);
        Builds builds(graph, machine, std::vector<Settings>(kRanks, settings), random);
        builds.run(random);
        expect_right(builds);
        const Created created = create_all(graph, machine, settings);
        for (std::size_t r = 0; r < kRanks; ++r) {
            const Served &expected =
                created.topologies[r]
                    .served[static_cast<std::size_t>(Collective::neighbor_alltoallv)]
                    .front();
            EXPECT_EQ(builds.served(static_cast<Rank>(r)).choice, expected.choice);
            EXPECT_EQ(*builds.served(static_cast<Rank>(r)).pattern, *expected.pattern);
        }
    }
}

// A builder with much work pauses while messages go on, and builds the same pattern.
void expect_pauses(const Graph &graph, const Machine &machine, const Settings &settings,
                   Random &random)
{
    constexpr Collective kCollective = Collective::neighbor_allgatherv;
    Builds builds(graph, machine, std::vector<Settings>(graph.size(), settings), random,
                  kCollective);
    builds.run(random);
    EXPECT_GT(builds.turns, 1);
    expect_right(builds);
    const Created created = create_all(graph, machine, settings);
    for (std::size_t r = 0; r < graph.size(); ++r) {
        EXPECT_EQ(
            *builds.served(static_cast<Rank>(r)).pattern,
            *created.topologies[r].served[static_cast<std::size_t>(kCollective)].front().pattern);
    }
}

TEST(ComponentBuild, PausesWhereFriendsAreMany)
{
    Random random(5);
    Settings settings =
        settings_of(find_choice("common_neighbor"), Collective::neighbor_allgatherv);
    settings.values.set(kFriendsAnywhere, true);
    settings.values.set(kFriendsPerGroup, 6);
    settings.values.set(kFriendCandidates, 1 << 14);
    expect_pauses(match(dense_lists(random, 64, 0.7)), make_machine({32, 32}), settings, random);
}

TEST(ComponentBuild, PausesWhereCandidatesForAgentsAreMany)
{
    Random random(6);
    const Settings settings =
        settings_of(find_choice("distance_halving"), Collective::neighbor_allgatherv);
    expect_pauses(match(dense_lists(random, 512, 0.03)), make_machine({256, 256}), settings,
                  random);
}

// Ranks that differ in a parameter that must be equal go on with direct messages.
TEST(ComponentBuild, ParametersThatDiffer)
{
    Random random(3);
    constexpr int kRanks = 12;
    std::vector<Settings> settings(kRanks, settings_of(find_choice("aggregated")));
    settings[5].values.set(kCombiningThreshold, std::size_t{12345});
    Builds builds(match(dense_lists(random, kRanks, 0.6)), make_machine({4, 4, 4}), settings,
                  random);
    builds.run(random);
    expect_right(builds);
    for (const auto &rank : builds.ranks) {
        EXPECT_FALSE(rank->build.first_served());
        EXPECT_EQ(rank->build.topology().diagnostic, Diagnostic::parameters_differ);
    }
}

// If one rank cannot build, no rank uses the pattern, whichever superstep fails.
TEST(ComponentBuild, ARankFails)
{
    Random random(4);
    constexpr int kRanks = 12;
    for (int step = 0; step < 6; ++step) {
        Settings settings = settings_of(find_choice("aggregated"));
        settings.fail_rank = 7;
        settings.fail_step = step;
        Builds builds(match(dense_lists(random, kRanks, 0.9)), make_machine({4, 4, 4}),
                      std::vector<Settings>(kRanks, settings), random);
        builds.run(random);
        expect_right(builds);
        int failed = 0;
        for (const auto &rank : builds.ranks) {
            failed += rank->build.first_served() ? 0 : 1;
        }
        EXPECT_TRUE(failed == 0 || failed == kRanks);
        EXPECT_TRUE(step > 0 || failed == kRanks);
    }
}

// ---- The trial after a build ----

// Nanoseconds of each block, nearly equal on all ranks of a component.
Measured measured(Random &random, double pattern_over_direct)
{
    std::array<std::uint64_t, kTrialBlocks> periods{};
    for (std::size_t block = 0; block < kTrialBlocks; ++block) {
        periods[block] = static_cast<std::uint64_t>(
            draw(random, 9900, 10100) * (is_direct_block(block) ? 1.0 : pattern_over_direct));
    }
    return Measured{periods, std::nullopt};
}

// The ranks of all components begin and end the rounds of their trials, in any order of messages.
struct Trials {
    Trials(Builds &builds, Random &random, const std::function<Measured(Rank)> &measure)
    {
        std::vector<Rank> undecided;
        for (const auto &rank : builds.ranks) {
            trials.emplace_back();
            if (rank->build.first_served()) {
                BuildingRank *own = rank.get();
                trials.back().emplace(own->build.tree(), [own] {
                    own->limit = {own->calls + 3, own->calls / 2, 2 * own->calls};
                    return own->limit;
                });
                undecided.push_back(own->rank);
            }
        }
        for (; !undecided.empty() && rounds < kTrialRounds + 1; ++rounds) {
            do_round(undecided, builds, random, measure);
            undecided.erase(std::remove_if(undecided.begin(), undecided.end(),
                                           [this](Rank rank) { return of(rank).result().decided; }),
                            undecided.end());
        }
    }
    Trial &of(Rank rank) { return *trials[static_cast<std::size_t>(rank)]; }
    std::vector<std::optional<Trial>> trials;
    int rounds = 0;

private:
    void do_round(std::vector<Rank> to_begin, Builds &builds, Random &random,
                  const std::function<Measured(Rank)> &measure)
    {
        std::shuffle(to_begin.begin(), to_begin.end(), random);
        for (bool more = true; more || !to_begin.empty();) {
            if (!to_begin.empty() && (!more || chance(random, 0.3))) {
                const Rank rank = to_begin.back();
                to_begin.pop_back();
                builds.ranks[static_cast<std::size_t>(rank)]->calls +=
                    static_cast<std::uint32_t>(draw(random, 100, 150));
                of(rank).begin(measure(rank));
            }
            const std::optional<BuildNetwork::Delivery> message = builds.network.take();
            more = message.has_value();
            if (more) {
                of(message->to).arrived(message->from, *message->words);
            }
        }
    }
};

TEST(Trial, ComponentsAgree)
{
    Random random(6);
    int kept = 0;
    int dropped = 0;
    for (int round = 0; round < scaled(200); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 40);
        const Graph graph = random_graph(random, ranks);
        const std::vector<Rank> component = components_of(graph);
        Builds builds(graph, random_machine(random, ranks),
                      std::vector<Settings>(static_cast<std::size_t>(ranks),
                                            settings_of(find_choice("aggregated"))),
                      random);
        builds.run(random);
        // In about every second component the pattern is clearly slower.
        const auto slower = [&](Rank rank) {
            return (component[static_cast<std::size_t>(rank)] + round) % 2 == 0;
        };
        Trials trials(builds, random,
                      [&](Rank rank) { return measured(random, slower(rank) ? 1.2 : 1.02); });
        EXPECT_TRUE(builds.network.is_empty());
        EXPECT_LE(trials.rounds, kTrialRounds);
        std::map<Rank, CallCounts> first;
        for (const auto &rank : builds.ranks) {
            if (!rank->build.first_served()) {
                continue;
            }
            const Trial &trial = trials.of(rank->rank);
            EXPECT_FALSE(trial.runs());
            EXPECT_TRUE(trial.result().measured);
            EXPECT_TRUE(trial.result().decided);
            EXPECT_EQ(trial.result().keep, !slower(rank->rank));
            ++(slower(rank->rank) ? dropped : kept);
            ASSERT_TRUE(trial.switch_point());
            const CallCounts &counts =
                first
                    .emplace(component[static_cast<std::size_t>(rank->rank)], *trial.switch_point())
                    .first->second;
            EXPECT_EQ(trial.switch_point()->calls, counts.calls);
            EXPECT_EQ(trial.switch_point()->requests, counts.requests);
            EXPECT_EQ(trial.switch_point()->starts, counts.starts);
            EXPECT_GE(counts.calls, rank->limit.calls);
            EXPECT_GE(counts.requests, rank->limit.requests);
            EXPECT_GE(counts.starts, rank->limit.starts);
        }
    }
    EXPECT_GT(kept, 0);
    EXPECT_GT(dropped, 0);
}

// Bursts of other load cover whole blocks in each round.
TEST(Trial, RoundsUntilOneWayIsAhead)
{
    using Blocks = std::array<double, kTrialBlocks>;
    struct Case {
        std::vector<Blocks> rounds;
        bool keep;
    };
    for (const Case &one :
         {Case{{Blocks{2, 1, 2, 1}}, true}, Case{{Blocks{1, 2, 1, 2}}, false},
          Case{{Blocks{2, 9, 2, 1}, Blocks{9, 1, 3, 8}, Blocks{2, 1, 2, 1}}, true},
          Case{{Blocks{9, 2, 1, 3}, Blocks{1, 8, 9, 10}, Blocks{1, 2, 2, 3}}, false}}) {
        Random random(8);
        constexpr int kRanks = 12;
        Builds builds(match(dense_lists(random, kRanks, 0.9)), make_machine({4, 4, 4}),
                      std::vector<Settings>(kRanks, settings_of(find_choice("aggregated"))),
                      random);
        builds.run(random);
        std::array<std::size_t, kRanks> rounds{};
        Trials trials(builds, random, [&](Rank rank) {
            const Blocks &blocks = one.rounds.at(rounds[static_cast<std::size_t>(rank)]++);
            std::array<std::uint64_t, kTrialBlocks> times{};
            std::transform(blocks.begin(), blocks.end(), times.begin(),
                           [](double block) { return static_cast<std::uint64_t>(block * 1000); });
            return Measured{times, std::nullopt};
        });
        EXPECT_EQ(trials.rounds, one.rounds.size());
        for (Rank rank = 0; rank < kRanks; ++rank) {
            EXPECT_TRUE(trials.of(rank).result().decided);
            EXPECT_EQ(trials.of(rank).result().keep, one.keep);
        }
    }
}

// If a rank has not measured all calls of the first round, another round follows. If it has not
// measured all calls of that one either, the model decides.
TEST(Trial, NotMeasuredEverywhere)
{
    constexpr int kRanks = 12;
    for (const int missed : {1, 2}) {
        Random random(7);
        Builds builds(match(dense_lists(random, kRanks, 0.9)), make_machine({4, 4, 4}),
                      std::vector<Settings>(kRanks, settings_of(find_choice("aggregated"))),
                      random);
        builds.run(random);
        int rounds = 0;
        Trials trials(builds, random, [&](Rank rank) {
            return rank == 5 && rounds++ < missed ? Measured{} : measured(random, 3);
        });
        EXPECT_EQ(trials.rounds, 2);
        for (Rank rank = 0; rank < kRanks; ++rank) {
            EXPECT_EQ(trials.of(rank).result().measured, missed == 1);
            EXPECT_EQ(trials.of(rank).result().keep, missed == 2);
            EXPECT_TRUE(trials.of(rank).switch_point());
        }
    }
}

// As nanoseconds of each block.
using Typical = std::array<std::uint64_t, kTrialBlocks>;

// The first call of a block does not count; the lower quartile of the others does.
TEST(Trial, TypicalPeriods)
{
    const auto typical_of = [](const std::vector<double> &seconds,
                               const std::vector<std::size_t> &together = {}) {
        std::vector<Period> periods;
        for (const double one : seconds) {
            periods.push_back({one * 1e-9, true});
        }
        for (const std::size_t i : together) {
            periods[i].alone = false;
        }
        return typical_periods(periods);
    };
    EXPECT_EQ(typical_of({9, 1, 2, 3, 9, 1, 1, 1, 9, 4, 4, 4, 9, 3, 5, 12}), (Typical{1, 1, 4, 3}));
    EXPECT_EQ(typical_of({9, 5, 1, 4, 2, 3, 9, 8, 7, 9, 6, 5, 9, 1, 1, 1, 1, 1, 9, 2, 2, 2, 2, 1}),
              (Typical{2, 6, 1, 2}))
        << "the second of five";
    EXPECT_FALSE(typical_of({1, 2, 3, 4})) << "nothing is left of blocks of one call";
    EXPECT_FALSE(typical_of({}));
    // Other load adds time to most calls of a block.
    EXPECT_EQ(typical_of({1, 1, 1, 1, 1, 1, 500, 90, 2, 80, 1, 1, 1, 1, 1, 1, 30, 1, 1, 1}),
              (Typical{1, 2, 1, 1}));
    // Three calls in flight together, for which the application waits before the next.
    EXPECT_EQ(typical_of({0, 0, 0, 30, 0, 0, 60, 0, 0, 30, 0, 0, 30, 0, 0, 60},
                         {1, 2, 4, 5, 7, 8, 10, 11, 13, 14}),
              (Typical{10, 20, 10, 20}));
    EXPECT_EQ(typical_of({1, 1, 900, 1, 1, 1, 800, 700}), (Typical{1, 1, 1, 700}));
}

// Messages of the build on a ring of these ranks, by place on it.
std::int64_t messages_on_ring(const std::vector<Rank> &ring)
{
    Random random(5);
    const auto ranks = ring.size();
    Lists lists(static_cast<int>(ranks));
    for (std::size_t place = 0; place < ranks; ++place) {
        lists.add(ring[place], ring[(place + 1) % ranks]);
    }
    Builds builds(match(lists), make_machine(std::vector<int>(ranks / 16, 16)),
                  std::vector<Settings>(ranks, settings_of(kAuto)), random);
    builds.run(random);
    for (const auto &rank : builds.ranks) {
        EXPECT_TRUE(rank->build.ended());
    }
    return builds.network.sent();
}

TEST(ComponentBuild, FewWavesOnALongRing)
{
    constexpr int kRanks = 1024;
    std::vector<Rank> in_order(kRanks);
    std::vector<Rank> zigzag(kRanks);
    for (int place = 0; place < kRanks; ++place) {
        in_order[static_cast<std::size_t>(place)] = place;
        zigzag[static_cast<std::size_t>(place)] = place / 2 + (place % 2) * kRanks / 2;
    }
    // Each rank has 2 neighbours: one wave and its result, and the messages along the tree.
    EXPECT_LT(messages_on_ring(in_order), std::int64_t{kRanks} * (2 * 2 + 14));
    // Every second rank begins a wave, and the ranks two places away have the next numbers. So a
    // wave ordered by rank would be overtaken by one wave from each of them. Fewer than ln(1024) =
    // 7 waves are seen.
    EXPECT_LT(messages_on_ring(zigzag), std::int64_t{kRanks} * (2 * 8 + 14));
}

} // namespace
} // namespace nbrhood::test
