// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "component_builds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace nbrhood::test {
namespace {

OwnFacts with_blocks(OwnFacts own, const Neighbourhood &neighbourhood, std::int64_t bytes,
                     Earlier earlier)
{
    own.earlier = earlier;
    own.blocks = static_cast<std::int64_t>(neighbourhood.out.size());
    own.bytes = own.blocks * bytes;
    return own;
}

} // namespace

BuildingRank::BuildingRank(const Neighbourhood &neighbourhood, const Machine &machine,
                           const Settings &settings, Collective collective,
                           std::int64_t block_bytes, Earlier earlier, BuildNetwork &network)
    : rank(neighbourhood.rank), locality_([&machine, this](Rank peer) {
          return machine.local(rank, peer) ? Locality::same_region : Locality::elsewhere;
      }),
      network_(network),
      build(neighbourhood,
            with_blocks(own_facts(machine, rank), neighbourhood, block_bytes, earlier), collective,
            settings, locality_, *this, [this] {
                limit = {calls + 3, calls / 2, 2 * calls};
                return limit;
            })
{}

Builds::Builds(Graph graph, Machine machine, const std::vector<Settings> &settings, Random &random,
               Collective collective, std::int64_t block_bytes, Earlier earlier)
    : graph_(std::move(graph)), machine_(std::move(machine)), settings_(settings),
      collective_(collective), network(graph_.size(), BuildNetwork::Order::at_random, random())
{
    for (std::size_t r = 0; r < graph_.size(); ++r) {
        ranks.push_back(std::make_unique<BuildingRank>(graph_[r], machine_, settings_[r],
                                                       collective, block_bytes, earlier, network));
    }
}

void Builds::run(Random &random)
{
    const std::vector<Rank> component = components_of(graph_);
    std::map<Rank, std::size_t> not_begun; // by component
    for (const Rank of : component) {
        ++not_begun[of];
    }
    std::vector<std::size_t> to_begin(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        to_begin[r] = r;
    }
    std::shuffle(to_begin.begin(), to_begin.end(), random);
    const double eagerness = draw(random, 1, 100) / 100.0;
    std::vector<BuildingRank *> paused;
    for (bool more = true; more || !to_begin.empty() || !paused.empty();) {
        if (!to_begin.empty() && (!more || chance(random, eagerness))) {
            BuildingRank &rank = *ranks[to_begin.back()];
            to_begin.pop_back();
            rank.calls = static_cast<std::uint32_t>(draw(random, 1, 50));
            rank.begun = true;
            --not_begun[component[static_cast<std::size_t>(rank.rank)]];
            rank.build.begin();
        }
        if (!paused.empty() && (!more || chance(random, 0.3))) {
            BuildingRank &rank = *paused.back();
            rank.build.take_turn();
            ++turns;
            if (!rank.build.wants_turn()) {
                paused.pop_back();
            }
        }
        const std::optional<BuildNetwork::Delivery> message = network.take();
        more = message.has_value();
        if (more) {
            BuildingRank &to = *ranks[static_cast<std::size_t>(message->to)];
            ASSERT_TRUE(to.begun) << "a rank expects nothing before it begins";
            const bool was_paused = to.build.wants_turn();
            to.build.arrived(message->from, message->channel, *message->words);
            if (to.build.wants_turn() && !was_paused) {
                paused.push_back(&to);
            }
            ASSERT_TRUE(!to.joined || not_begun[component[static_cast<std::size_t>(to.rank)]] == 0)
                << "sends a large message though a rank has not begun";
        }
    }
}

Settings settings_of(int choice, Collective collective)
{
    Settings settings;
    settings.choice.fill(kDefault);
    settings.choice[static_cast<std::size_t>(collective)] = choice;
    settings.keep_patterns = true;
    return settings;
}

void expect_right(Builds &builds)
{
    const std::vector<Rank> component = components_of(builds.graph_);
    std::map<Rank, BuildingRank *> first;
    std::map<Rank, CallCounts> greatest;
    std::vector<Pattern> patterns = direct_patterns(builds.graph_, kind_of(builds.collective_));
    EXPECT_TRUE(builds.network.is_empty());
    for (const auto &rank : builds.ranks) {
        SCOPED_TRACE("rank " + std::to_string(rank->rank));
        ASSERT_TRUE(rank->build.ended());
        BuildingRank &other =
            *first.emplace(component[static_cast<std::size_t>(rank->rank)], rank.get())
                 .first->second;
        const auto counts = rank->build.first_served();
        ASSERT_EQ(counts.has_value(), other.build.first_served().has_value());
        if (!counts) {
            continue;
        }
        EXPECT_EQ(counts->calls, other.build.first_served()->calls);
        EXPECT_EQ(counts->requests, other.build.first_served()->requests);
        EXPECT_EQ(counts->starts, other.build.first_served()->starts);
        EXPECT_GE(counts->calls, rank->limit.calls);
        EXPECT_GE(counts->requests, rank->limit.requests);
        EXPECT_GE(counts->starts, rank->limit.starts);
        EXPECT_EQ(builds.served(rank->rank).choice, builds.served(other.rank).choice);
        EXPECT_EQ(rank->build.topology().wire.pattern, other.build.topology().wire.pattern);
        patterns[static_cast<std::size_t>(rank->rank)] = *builds.served(rank->rank).pattern;
    }
    for (const IsLarge &large : {IsLarge([](const Edge &) { return false; }),
                                 IsLarge([](const Edge &) { return true; })}) {
        const auto faults = prove(patterns, builds.graph_, large);
        EXPECT_TRUE(faults.empty()) << joined(faults);
    }
}

} // namespace nbrhood::test
