// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The builders that `auto` runs, and their order: by the least traffic that their rows predict.
#include <gtest/gtest.h>

#include "analysis/lockstep.h"
#include "extra_row.h"
#include "flow_support.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr auto kAlltoallv = static_cast<std::size_t>(Collective::neighbor_alltoallv);

Traffic relaying(std::int64_t phases)
{
    Traffic traffic;
    traffic.phases = phases;
    traffic.relayed.add(Link::node, false, 1, 1);
    traffic.busiest_relayed = traffic.relayed;
    return traffic;
}

std::optional<Traffic> little(const Facts & /*facts*/)
{
    return relaying(1);
}
std::optional<Traffic> more(const Facts & /*facts*/)
{
    return relaying(2);
}
std::optional<Traffic> too_much(const Facts & /*facts*/)
{
    return relaying(1 << 20);
}
std::optional<Traffic> nothing(const Facts & /*facts*/)
{
    return std::nullopt;
}

// 12 ranks, one without edges; on one node, or on two.
Graph crowd()
{
    Random random(3);
    Lists lists = dense_lists(random, 11, 0.9);
    lists.sources.emplace_back();
    lists.destinations.emplace_back();
    return match(lists);
}

Created create(const std::vector<int> &nodes, int choice = kAuto, int fail_step = -1)
{
    Settings settings;
    settings.choice.fill(kDefault);
    settings.choice[kAlltoallv] = choice;
    settings.fail_rank = fail_step >= 0 ? 0 : -1;
    settings.fail_step = fail_step;
    take_extra_runs();
    Created created = create_all(crowd(), make_machine(nodes), settings);
    EXPECT_FALSE(created.mail_left);
    EXPECT_LE(created.topologies[0].synchronisations, 2);
    for (const int error : created.errors) {
        EXPECT_EQ(error, 0);
    }
    return created;
}

using Runs = std::vector<int>;

TEST(BuilderOrder, TheMostPromisingBuilderRunsFirst)
{
    struct Case {
        LeastTraffic first, second;
        Runs runs;
    };
    const Case cases[] = {{little, more, {0, 1}},
                          {more, little, {1, 0}},
                          {little, little, {0, 1}},
                          {little, nullptr, {1, 0}}}; // a row without a prediction may be the best
    for (const Case &tested : cases) {
        const ExtraRow row0(extra_row(0, tested.first));
        const ExtraRow row1(extra_row(1, tested.second));
        create({6, 6});
        EXPECT_EQ(take_extra_runs(), tested.runs);
    }
}

TEST(BuilderOrder, OneThatCannotBeatDirectMessagesDoesNotRun)
{
    for (const LeastTraffic hopeless : {too_much, nothing}) {
        const ExtraRow row0(extra_row(0, hopeless));
        const ExtraRow row1(extra_row(1, little));
        create({6, 6});
        EXPECT_EQ(take_extra_runs(), Runs{1});
        create({6, 6}, find_choice("extra0"));
        EXPECT_EQ(take_extra_runs(), Runs{0}) << "but where it is named";
    }
}

// On one node the algorithms of regions have nothing to do.
TEST(BuilderOrder, WhereNoBuilderCanGainNothingIsBuilt)
{
    {
        const ExtraRow row(extra_row(0, nothing));
        const Created created = create({12});
        EXPECT_EQ(take_extra_runs(), Runs{});
        EXPECT_EQ(created.topologies[0].synchronisations, 1);
        EXPECT_EQ(created.topologies[0].served[kAlltoallv].front().reason,
                  Reason::too_few_messages);
    }
    const ExtraRow row(extra_row(0, little));
    extra_traffic(0) = Traffic{};
    const Created created = create({12});
    EXPECT_EQ(take_extra_runs(), Runs{0});
    EXPECT_EQ(created.topologies[0].synchronisations, 2);
    EXPECT_EQ(created.topologies[0].served[kAlltoallv].front().reason, Reason::no_gain);
}

// The traffic that a row predicts is never more than its builder counts.
TEST(BuilderOrder, TheLeastIsNoMoreThanWhatIsCounted)
{
    for (int seed = 0; seed < scaled(200); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 20);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        const Facts facts = find_facts(graph, machine, draw(random, 1, 4));
        const Costs costs = random_costs(random);
        for (const Algorithm &row : registry()) {
            const std::optional<Traffic> least =
                row.least != nullptr ? row.least(facts) : Traffic{};
            if (row.make_builder == nullptr || !least) {
                continue;
            }
            const Traffic counted =
                build_all(row, kinds_of(row).back(), graph, machine, Tuning{}).traffic;
            if (counted.phases == 1) {
                continue; // direct after all: the pattern cannot gain, whatever its row predicts
            }
            for (const double bytes : {8.0, 4096.0}) {
                EXPECT_LE(relayed_seconds(*least, facts, costs, bytes, 1e9),
                          relayed_seconds(counted, facts, costs, bytes, 1e9));
            }
        }
    }
}

// The order of builders does not change the result, and if a rank fails, no rank waits for another.
TEST(BuilderOrder, TheBestCountedWinsWhateverTheOrder)
{
    for (const LeastTraffic other : {little, more, LeastTraffic{}}) {
        for (const int best : {0, 1}) {
            const ExtraRow row0(extra_row(0, little));
            const ExtraRow row1(extra_row(1, other));
            for (const int number : {0, 1}) {
                Traffic counted = relaying(number == best ? 1 : 2);
                counted.direct.add(Link::network, false, 10000, 10000);
                counted.busiest_direct = counted.direct;
                extra_traffic(number) = counted;
            }
            const Created created = create({6, 6});
            for (const Topology &topology : created.topologies) {
                EXPECT_EQ(topology.served[kAlltoallv].front().choice,
                          find_choice(best == 0 ? "extra0" : "extra1"));
                EXPECT_EQ(topology.served[kAlltoallv].front().reason, Reason::gain);
            }
            const Created failed = create({6, 6}, kAuto, 0);
            for (const Topology &topology : failed.topologies) {
                EXPECT_EQ(topology.served[kAlltoallv].front().reason, Reason::cannot_build);
            }
        }
    }
}

} // namespace
} // namespace nbrhood::test
