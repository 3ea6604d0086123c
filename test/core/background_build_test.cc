// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Switches of all ranks of a graph, with builds, trials and size questions whose messages have
// random delays, while the ranks make calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/build_network.h"
#include "build/background_build.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr auto kCollective = Collective::neighbor_alltoallv;

struct Terms {
    SwitchTerms of;
    double pattern_seconds = 0.5; // time of a call that a pattern serves; others take a second
    std::uint64_t bytes = 8;
    std::uint32_t calls = 150;
    std::uint32_t slow_below = 0; // below this call a pattern takes ten times as long
    std::uint32_t growth = 90;    // from this call on blocks are large
};

// Neighbours other than the rank itself; ranks without any take part in nothing.
bool has_neighbour(const Neighbourhood &neighbourhood)
{
    const auto is_other = [&](const EdgeEnd &end) {
        return end.peer != kNoRank && end.peer != neighbourhood.rank;
    };
    return std::any_of(neighbourhood.in.begin(), neighbourhood.in.end(), is_other)
           || std::any_of(neighbourhood.out.begin(), neighbourhood.out.end(), is_other);
}

class CallingRank : public BackgroundHost {
public:
    CallingRank(const Neighbourhood &neighbourhood, const Machine &machine, const Terms &terms,
                BuildNetwork &network)
        : rank(neighbourhood.rank), machine_(machine), terms_(terms), network_(network),
          blocks_(neighbourhood.out.size()), has_neighbour_(has_neighbour(neighbourhood)),
          sw(terms.of, build), build(neighbourhood, kCollective, *this, sw)
    {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        network_.send(rank, peer, channel, words);
    }
    void expect(Rank peer, Channel channel) override { network_.expect(peer, rank, channel); }
    Locality locality(Rank peer) const override
    {
        return machine_.local(rank, peer) ? Locality::same_region : Locality::elsewhere;
    }
    Facts facts() override { return {own_facts(machine_, rank), Settings{}}; }
    std::uint32_t inits() const override { return 0; }
    void built(Topology &&, const std::optional<CallCounts> &first, bool) override
    {
        ++builds;
        patterns += first ? 1 : 0;
    }
    void decided(const TrialResult &result) override { results.push_back(result); }
    void changed() override { ++changes; }

    // Whether the rank could finish a call; false if the call has to wait.
    bool call()
    {
        if (!waits_) {
            const std::uint64_t bytes = terms_.bytes * (calls >= terms_.growth ? 64 : 1);
            sw.begin_call({{blocks_, blocks_ * bytes}, calls, true, has_neighbour_, now_});
        }
        waits_ = calls >= sw.limit().calls;
        if (waits_) {
            return false;
        }
        served.push_back(sw.serving_call(calls));
        now_ += served.back() == kDirectMessages ? 1
                : calls < terms_.slow_below      ? 10 * terms_.pattern_seconds
                                                 : terms_.pattern_seconds;
        ++calls;
        return true;
    }

    Rank rank;
    std::uint32_t calls = 0;
    std::vector<int> served; // by call
    int builds = 0, patterns = 0, changes = 0;
    std::vector<TrialResult> results;

private:
    const Machine &machine_;
    const Terms &terms_;
    BuildNetwork &network_;
    std::size_t blocks_;
    bool has_neighbour_;
    bool waits_ = false;
    double now_ = 0;

public:
    Switch sw;
    BackgroundBuild build;
};

class World {
public:
    World(const Graph &graph, const Machine &machine, const Terms &terms, Random &random)
        : calls_(terms.calls), network_(graph.size(), BuildNetwork::Order::at_random, random())
    {
        for (const Neighbourhood &neighbourhood : graph) {
            ranks.push_back(std::make_unique<CallingRank>(neighbourhood, machine, terms, network_));
        }
    }

    // All ranks make all calls, each at its own random pace.
    void run(Random &random)
    {
        std::vector<CallingRank *> calling;
        for (const auto &rank : ranks) {
            calling.push_back(rank.get());
        }
        const double eagerness = draw(random, 1, 60) / 100.0;
        for (bool more = true; more || !calling.empty();) {
            more = take_turns();
            if (!calling.empty() && (!more || chance(random, eagerness))) {
                const auto i =
                    static_cast<std::size_t>(draw(random, 0, static_cast<int>(calling.size()) - 1));
                more = calling[i]->call() || more;
                if (calling[i]->calls == calls_) {
                    calling.erase(calling.begin() + static_cast<std::ptrdiff_t>(i));
                }
            }
            const std::optional<BuildNetwork::Delivery> message = network_.take();
            if (message) {
                ranks[static_cast<std::size_t>(message->to)]->build.arrived(
                    message->from, message->channel, *message->words);
                more = true;
            }
            idle_ = more ? 0 : idle_ + 1;
            ASSERT_LT(idle_, 100000) << "calls wait forever";
        }
        EXPECT_TRUE(network_.is_empty());
    }

    std::vector<std::unique_ptr<CallingRank>> ranks;

private:
    bool take_turns()
    {
        bool any = false;
        for (const auto &rank : ranks) {
            if (rank->build.wants_turn()) {
                rank->build.take_turn();
                any = true;
            }
        }
        return any;
    }

    std::uint32_t calls_;
    BuildNetwork network_;
    int idle_ = 0;
};

// All ranks of a component serve every call in the same way, and end in the same state.
void expect_agreement(const World &world, const Graph &graph)
{
    const std::vector<Rank> component = components_of(graph);
    std::map<Rank, const CallingRank *> first;
    for (const auto &rank : world.ranks) {
        const CallingRank &other =
            *first.emplace(component[static_cast<std::size_t>(rank->rank)], rank.get())
                 .first->second;
        EXPECT_EQ(rank->served, other.served);
        EXPECT_EQ(rank->sw.state(), other.sw.state());
        EXPECT_EQ(rank->results.size(), other.results.size());
        EXPECT_EQ(rank->changes, other.changes);
        EXPECT_FALSE(rank->build.runs());
    }
}

struct Seen {
    int patterns = 0, kept = 0, given_up = 0, kept_after_all = 0, changes = 0;
};

Seen run(const Terms &terms, int rounds, unsigned seed)
{
    Random random(seed);
    Seen seen;
    for (int round = 0; round < std::max(20, scaled(rounds)); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 30);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        World world(graph, machine, terms, random);
        world.run(random);
        expect_agreement(world, graph);
        for (const auto &rank : world.ranks) {
            seen.patterns += rank->patterns;
            seen.changes += rank->changes;
            bool was_given_up = false;
            for (const TrialResult &result : rank->results) {
                ++(result.keep ? seen.kept : seen.given_up);
                seen.kept_after_all += was_given_up && result.keep ? 1 : 0;
                was_given_up = !result.keep;
            }
        }
    }
    return seen;
}

TEST(BackgroundBuild, RanksServeEveryCallIdentically)
{
    const Seen seen = run({{3, 0, 0}}, 60, 1);
    EXPECT_GT(seen.patterns, 0);
    EXPECT_EQ(seen.kept + seen.given_up, 0);
}

TEST(BackgroundBuild, FastPatternsAreKept)
{
    const Seen seen = run({{5, 3, 0}, 0.5}, 60, 2);
    EXPECT_GT(seen.kept, 0);
    EXPECT_EQ(seen.given_up, 0);
}

TEST(BackgroundBuild, SlowPatternsAreGivenUp)
{
    const Seen seen = run({{5, 3, 0}, 2}, 60, 3);
    EXPECT_GT(seen.given_up, 0);
    EXPECT_EQ(seen.kept, 0);
}

// The second trial ends differently, because the cause that slowed the pattern has gone.
TEST(BackgroundBuild, WhatWasGivenUpIsTriedAgain)
{
    for (const std::uint32_t watch_calls : {0U, 8U}) {
        const Seen seen = run({{1, 2, watch_calls}, 0.5, 64, 6000, 300, 6000}, 20, 5);
        EXPECT_GT(seen.given_up, 0);
        EXPECT_EQ(seen.kept_after_all, seen.given_up);
    }
}

TEST(BackgroundBuild, BlocksThatGrowAreBuiltForAnew)
{
    const Seen seen = run({{5, 2, 8}, 0.5, 64}, 60, 4);
    EXPECT_GT(seen.changes, 0);
}

} // namespace
} // namespace nbrhood::test
