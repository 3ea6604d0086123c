// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Intervals of sizes serve collectives whose sizes all ranks know: the decisions of `auto` for each
// interval, equal on all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "capi/topology.h"
#include "extra_row.h"
#include "select/automatic.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr auto kAlltoall = static_cast<std::size_t>(Collective::neighbor_alltoall);
constexpr auto kAllgather = static_cast<std::size_t>(Collective::neighbor_allgather);

SizeChoices choices_in(const ServedSizes &sizes)
{
    SizeChoices result;
    for (const Served &served : sizes) {
        result.push_back({served.most, served.choice});
    }
    return result;
}

SizeChoices random_choices(Random &random, const std::vector<std::size_t> &limits)
{
    SizeChoices result;
    std::size_t place = 0;
    for (int left = draw(random, 0, 3); left > 0 && place < limits.size(); --left) {
        place += static_cast<std::size_t>(draw(random, 0, 6));
        if (place < limits.size()) {
            append(result, {limits[place++], draw(random, kFirstRow, choices() - 1)});
        }
    }
    append(result, {kAnySize, draw(random, kFirstRow, choices() - 1)});
    return result;
}

TEST(SizeChoices, SurviveTheSumOverAllRanks)
{
    const std::vector<std::size_t> limits = Automatic(Facts{}, Costs{}, ParameterValues{}).sizes();
    std::set<std::uint64_t> numbers;
    std::size_t different = 0;
    for (int seed = 0; seed < scaled(2000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const SizeChoices drawn = random_choices(random, limits);
        const std::uint64_t told = encode(drawn, limits);
        EXPECT_NE(told, 0U);
        const auto back = decode(told, limits);
        ASSERT_TRUE(back);
        EXPECT_EQ(*back, drawn);
        different += numbers.insert(told).second ? 1 : 0;
    }
    EXPECT_GT(different, 100U);
}

// Any number that arrives is decoded to usable intervals.
TEST(SizeChoices, NumbersThatNobodyToldMeanNothing)
{
    const std::vector<std::size_t> limits{8, 16, 32};
    EXPECT_FALSE(decode(0, limits));
    for (const int choice : {kAuto, kDefault, choices()}) {
        EXPECT_FALSE(decode(encode({{kAnySize, choice}}, limits), limits)) << choice;
    }
    int understood = 0;
    for (int seed = 0; seed < scaled(20000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        std::uint64_t told = random() >> (16 * draw(random, 0, 3));
        if (chance(random, 0.7)) { // close to the numbers that can be encoded
            told = encode(random_choices(random, limits), limits) ^ 1ULL << draw(random, 0, 63);
        }
        const auto read = decode(told, limits);
        if (read) {
            ++understood;
            EXPECT_EQ(encode(*read, limits), told);
            EXPECT_LE(read->size(), kMostIntervals);
            EXPECT_EQ(read->back().most, kAnySize);
        }
    }
    EXPECT_GT(understood, 0);
}

TEST(SizeChoices, ARowThatIsNamedServesItsSizesAndLeavesTheOthersDirect)
{
    Algorithm row = extra_row(0, nullptr);
    row.sizes = {100, 2000};
    const ExtraRow added(row);
    const int choice = find_choice("extra0");
    EXPECT_EQ(named_by_size(choice),
              (SizeChoices{{99, kDirectChoice}, {2000, choice}, {kAnySize, kDirectChoice}}));
    EXPECT_EQ(named_by_size(kDirectChoice), (SizeChoices{{kAnySize, kDirectChoice}}));
}

// 12 ranks on 3 nodes, and one without edges.
Graph graph_with_hermit(std::uint64_t seed)
{
    Random random(seed);
    Lists lists = dense_lists(random, 12, 0.9);
    lists.sources.emplace_back();
    lists.destinations.emplace_back();
    return match(lists);
}

// The intervals of the patterns that were built, from their programs.
std::vector<Counted> counted_in(const Topology &topology)
{
    std::vector<Counted> counted;
    for (const Expectation &expected : topology.expected) {
        for (std::size_t c = 0; c < kCollectives; ++c) {
            const bool same = kind_of(static_cast<Collective>(c)) == expected.kind;
            const ServedSizes &sizes = topology.served[c];
            if (same && std::any_of(sizes.begin(), sizes.end(), [&](const Served &served) {
                    return served.choice == expected.choice;
                })) {
                counted.push_back({expected.choice, expected.kind, expected.traffic});
                break;
            }
        }
    }
    return counted;
}

TEST(SizeIntervals, AllRanksHaveThoseThatTheModelFindsFastest)
{
    std::set<std::size_t> lengths;
    for (int seed = 0; seed < 60 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        Settings settings;
        settings.choice.fill(kAuto);
        settings.costs.phase_latency = 1e-6 * draw(random, 0, 4);
        settings.costs.copy_byte = 1e-11 * draw(random, 0, 100);
        settings.costs[Link::node].message = 1e-7 * draw(random, 1, 20);
        settings.costs[Link::network].message = 1e-7 * draw(random, 10, 60);
        settings.values.set(kBlockBytes, chance(random, 0.3) ? 1000 : 0);
        settings.values.set(kCombiningThreshold, chance(random, 0.2) ? 3000 : 0);
        const Created created = create_all(graph_with_hermit(static_cast<std::uint64_t>(seed)),
                                           make_machine({4, 4, 5}), settings);
        EXPECT_LE(created.topologies[0].synchronisations, 2);
        const Topology &first = created.topologies[0];
        const Automatic automatic(first.facts, settings.costs, settings.values);
        for (const std::size_t c : {kAllgather, kAlltoall}) {
            const ServedSizes &sizes = first.served[c];
            if (first.synchronisations == 2) {
                EXPECT_EQ(choices_in(sizes),
                          automatic.fastest_by_size(static_cast<Collective>(c), counted_in(first)));
            }
            const int usual = automatic.fastest(static_cast<Collective>(c), counted_in(first));
            for (const Expectation &expected : first.expected) {
                if (expected.choice == usual
                    && expected.kind == kind_of(static_cast<Collective>(c))) {
                    EXPECT_NE(served_at(sizes, expected.combining_threshold).choice, kDirectChoice);
                    EXPECT_NE(sizes.front().choice, kDirectChoice);
                }
            }
            lengths.insert(sizes.size());
            ASSERT_LE(sizes.size(), kMostIntervals);
            EXPECT_EQ(sizes.back().most, kAnySize);
            for (const Served &served : sizes) {
                EXPECT_NE(served.program, nullptr);
                EXPECT_NE(served.choice, kDefault);
                EXPECT_EQ(served.program->one_message_per_edge(), served.choice == kDirectChoice);
                EXPECT_EQ(served.reason == Reason::gain, served.choice != kDirectChoice);
                if (served.choice != kDirectChoice) {
                    EXPECT_TRUE(served.known_sizes);
                    EXPECT_EQ(served.combining_threshold, served.most) << "all gain";
                    EXPECT_LE(served.most, settings.values.get(kCombiningThreshold) != 0
                                               ? std::size_t{3000}
                                               : kGreatestThreshold);
                }
            }
            for (const Topology &topology : created.topologies) {
                EXPECT_EQ(choices_in(topology.served[c]), choices_in(sizes));
            }
        }
        for (const Topology &topology : created.topologies) {
            for (std::size_t c = 0; c < kCollectives; ++c) {
                EXPECT_TRUE(c == kAllgather || c == kAlltoall || topology.served[c].size() == 1)
                    << "sizes are not known";
            }
        }
    }
    EXPECT_GE(lengths.size(), 3U) << "the cases are too similar";
}

// Even ranks may send other sizes than odd ones, so no rank knows the sizes of others.
TEST(SizeIntervals, AreNoneWhereTheGraphLeavesSizesOpen)
{
    for (const int ranks : {12, 13}) { // edges between neighbours and opposite ranks
        Lists lists(ranks);
        for (Rank rank = 0; rank < ranks; ++rank) {
            for (const Rank other : {1, 3, 5, 7, 9, 11}) {
                lists.add(rank, (rank + other) % ranks);
            }
        }
        Settings settings;
        settings.choice.fill(kAuto);
        settings.costs.phase_latency = 0;
        settings.costs[Link::node].message = 1e-7;
        const Created created = create_all(match(lists), make_machine({4, 4, ranks - 8}), settings);
        for (const Topology &topology : created.topologies) {
            ASSERT_NE(topology.served[kAllgather].front().program, nullptr);
            EXPECT_EQ(topology.served[kAllgather].size() == 1, ranks == 12);
        }
    }
}

// Patterns for larger blocks cost creation time, so they are not built if the user gives the size
// of blocks.
TEST(SizeIntervals, AnotherPatternIsBuiltOnlyWhereItGainsMuch)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, 64, 0.9));
    for (const std::size_t named : {std::size_t{0}, std::size_t{8}}) {
        Settings settings;
        settings.choice.fill(kAuto);
        settings.values.set(kBlockBytes, named);
        const Created created = create_all(graph, make_machine(std::vector<int>(8, 8)), settings);
        std::set<int> used;
        for (const Served &served : created.topologies[5].served[kAllgather]) {
            used.insert(served.choice);
        }
        EXPECT_EQ(used.count(find_choice("distance_halving")), 1U);
        EXPECT_EQ(used.count(find_choice("two_step")), named == 0 ? 1U : 0U);
        EXPECT_EQ(used.count(kDirectChoice), 1U) << "for the largest";
    }
}

// A row that serves only large blocks is considered only for these, and used for no others.
TEST(SizeIntervals, RowsWithSizesOfTheirOwnServeThese)
{
    Algorithm row = extra_row(0, nullptr);
    row.serves = bit(Collective::neighbor_alltoall) | bit(Collective::neighbor_alltoallv);
    row.sizes = {5000, 70000};
    const ExtraRow added(row);
    const int choice = find_choice("extra0");
    Traffic counted;
    counted.direct.add(Link::network, false, 10000, 10000);
    counted.busiest_direct = counted.direct;
    counted.relayed.add(Link::node, false, 1, 1);
    extra_traffic(0) = counted;
    for (const bool named : {false, true}) {
        for (const std::size_t expected : {std::size_t{0}, std::size_t{8}, std::size_t{6000}}) {
            Settings settings;
            settings.choice.fill(kDefault);
            settings.choice[kAlltoall] = named ? choice : kAuto;
            settings.values.set(kBlockBytes, expected);
            const Created created = create_all(graph_with_hermit(1), make_machine({13}), settings);
            for (const Topology &topology : created.topologies) {
                const SizeChoices wanted = !named && expected == 8
                                               ? SizeChoices{{kAnySize, kDirectChoice}}
                                               : SizeChoices{{4999, kDirectChoice},
                                                             {70000, choice},
                                                             {kAnySize, kDirectChoice}};
                EXPECT_EQ(choices_in(topology.served[kAlltoall]), wanted) << expected;
                EXPECT_EQ(topology.diagnostic, Diagnostic::none);
            }
        }
    }
}

// A rank without out-edges goes by the size that it receives.
TEST(SizeIntervals, TheGlueFindsTheIntervalOfACall)
{
    nbrhood_topology topology;
    topology.data.served.fill(ServedSizes(3));
    ServedSizes &sizes = topology.data.served[kAllgather];
    sizes[0].most = 64;
    sizes[0].choice = find_choice("aggregated");
    sizes[1].most = 4096;
    sizes[1].choice = find_choice("two_step");
    const auto interval = [&](std::size_t sent, std::size_t received) {
        return nbrhood_interval(&topology, kAllgather, sent, received);
    };
    for (const bool sends : {true, false}) {
        topology.data.sends = sends;
        EXPECT_EQ(interval(0, 0), 0);
        EXPECT_EQ(interval(64, 64), 0);
        EXPECT_EQ(interval(65, 65), 1);
        EXPECT_EQ(interval(4097, 4097), 2);
        EXPECT_EQ(interval(0, 5000), sends ? 0 : 2);
        EXPECT_EQ(interval(5000, 0), sends ? 2 : 0);
    }
    EXPECT_EQ(nbrhood_intervals(&topology, kAllgather), 3);
    char text[128];
    nbrhood_served_sizes(&topology, kAllgather, text, sizeof text);
    EXPECT_STREQ(text, "above 64 bytes two_step, above 4096 bytes direct");
    nbrhood_served_sizes(&topology, kAllgather, text, 9);
    EXPECT_STREQ(text, "above 64");
    sizes.resize(1);
    nbrhood_served_sizes(&topology, kAllgather, text, sizeof text);
    EXPECT_STREQ(text, "");
}

} // namespace
} // namespace nbrhood::test
