// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What serves alltoallvs: many ranks of the switch in one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "analysis/build_network.h"
#include "build/pair_switch.h"
#include "build/switch.h"
#include "pattern/message_words.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using Pair = std::pair<Rank, Rank>;
using Pairs = std::set<Pair>;

/// One rank, which makes calls and takes part in surveys.
class CallingRank : public Post {
public:
    CallingRank(Rank rank, Rank ranks, const PairTerms &terms, BuildNetwork &network,
                std::uint32_t parameters = 17)
        : rank_(rank), parameters_(parameters), network_(network),
          core_(rank, ranks, terms, *this, [this] {
              limit_ = calls_ahead(calls_, began_);
              return limit_;
          })
    {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        network_.send(rank_, peer, channel, words);
    }
    void expect(Rank peer, Channel channel) override { network_.expect(peer, rank_, channel); }

    bool may_call() const { return calls_ < limit_; }
    std::uint32_t calls() const { return calls_; }
    /// Makes the next call, which moves a byte for each of the pairs.
    void call(const Pairs &pairs)
    {
        const std::uint32_t number = calls_++;
        if (number >= core_.first() && number < core_.quiet_until()) {
            EXPECT_FALSE(core_.notes(number) || core_.begins(number)) << number;
        }
        if (core_.notes(number)) {
            PairLists lists;
            for (const auto &[from, to] : pairs) {
                if (from == rank_) {
                    lists.to.push_back(to);
                }
                if (to == rank_) {
                    lists.from.push_back(from);
                }
            }
            const std::uint64_t bytes = lists.to.size();
            core_.note(lists, bytes);
        }
        if (core_.begins(number)) {
            began_ = calls_;
            core_.begin(parameters_);
            note_end();
        }
    }
    void arrived(Rank peer, const std::vector<std::int32_t> &words)
    {
        core_.arrived(peer, words);
        note_end();
    }

    const PairSwitch &core() const { return core_; }
    /// What served the calls, as far as the rank has made them; and the graphs, by their first
    /// call.
    PairServing served(std::uint32_t number) const
    {
        auto last = servings_.upper_bound(number);
        return last == servings_.begin() ? PairServing::displaced : std::prev(last)->second;
    }
    const std::map<std::uint32_t, PairLists> &graphs() const { return graphs_; }

private:
    void note_end()
    {
        if (core_.runs()) {
            return;
        }
        limit_ = kNoNumber;
        EXPECT_LE(calls_, core_.decided() && core_.first() != 0 ? core_.first() : kNoNumber)
            << "the decision comes before the call";
        servings_[core_.first()] = core_.serving(core_.first());
        if (core_.changed() && core_.serving(core_.first()) == PairServing::graph) {
            graphs_[core_.first()] = core_.graph();
        }
    }

    Rank rank_;
    std::uint32_t parameters_;
    BuildNetwork &network_;
    PairSwitch core_;
    std::uint32_t calls_ = 0;
    std::uint32_t began_ = 0;
    std::uint32_t limit_ = kNoNumber;
    std::map<std::uint32_t, PairServing> servings_;
    std::map<std::uint32_t, PairLists> graphs_;
};

class Ranks {
public:
    Ranks(Random &random, Rank ranks, const PairTerms &terms)
        : random_(random),
          network_(static_cast<std::size_t>(ranks), BuildNetwork::Order::at_random, random())
    {
        for (Rank rank = 0; rank < ranks; ++rank) {
            all_.push_back(std::make_unique<CallingRank>(rank, ranks, terms, network_));
        }
    }

    /// All ranks make calls up to `count`, each at its own pace, while messages arrive.
    void run(std::uint32_t count, const std::function<Pairs(std::uint32_t)> &pairs_of)
    {
        std::size_t behind = 0;
        do {
            CallingRank &rank =
                *all_[static_cast<std::size_t>(draw(random_, 0, int(all_.size()) - 1))];
            const int calls = draw(random_, 1, 9);
            for (int i = 0; i < calls && rank.calls() < count && rank.may_call(); ++i) {
                rank.call(pairs_of(rank.calls()));
            }
            for (int messages = draw(random_, 0, 4); messages > 0; --messages) {
                deliver();
            }
            behind = static_cast<std::size_t>(
                std::count_if(all_.begin(), all_.end(),
                              [count](const auto &one) { return one->calls() < count; }));
        } while (behind > 0);
        while (deliver()) {}
    }

    const CallingRank &operator[](std::size_t rank) const { return *all_[rank]; }
    std::size_t size() const { return all_.size(); }

    /// Expects that all ranks say the same of every call and that their graphs fit together.
    void expect_agreement(std::uint32_t count) const
    {
        EXPECT_TRUE(network_.is_empty());
        for (const auto &rank : all_) {
            for (std::uint32_t number = 0; number < count; ++number) {
                ASSERT_EQ(rank->served(number), all_[0]->served(number)) << number;
            }
            ASSERT_EQ(rank->graphs().size(), all_[0]->graphs().size());
        }
        for (const auto &entry : all_[0]->graphs()) {
            EXPECT_EQ(edges(entry.first, true), edges(entry.first, false));
        }
    }
    /// The pairs of the graph that serves from a call on, as their senders or receivers list them.
    Pairs edges(std::uint32_t first, bool by_sender) const
    {
        Pairs pairs;
        for (std::size_t rank = 0; rank < all_.size(); ++rank) {
            const PairLists &lists = all_[rank]->graphs().at(first);
            for (const Rank other : by_sender ? lists.to : lists.from) {
                pairs.insert(by_sender ? Pair(Rank(rank), other) : Pair(other, Rank(rank)));
            }
        }
        return pairs;
    }

private:
    bool deliver()
    {
        const auto message = network_.take();
        if (message) {
            all_[static_cast<std::size_t>(message->to)]->arrived(message->from, *message->words);
        }
        return message.has_value();
    }

    Random &random_;
    BuildNetwork network_;
    std::vector<std::unique_ptr<CallingRank>> all_;
};

Pairs draw_pairs(Random &random, Rank ranks, double density)
{
    Pairs pairs;
    for (Rank from = 0; from < ranks; ++from) {
        for (Rank to = 0; to < ranks; ++to) {
            if (from != to && draw(random, 0, 999) < 1000 * density) {
                pairs.insert({from, to});
            }
        }
    }
    return pairs;
}

Pairs ring(Rank ranks, Rank step)
{
    Pairs pairs;
    for (Rank rank = 0; rank < ranks; ++rank) {
        pairs.insert({rank, (rank + step) % ranks});
    }
    return pairs;
}

// Messages have one byte, which is too much if the pairs are many.
constexpr PairLimits kLimits{50, 15};
constexpr PairTerms kTerms{kLimits, 3, 10};

TEST(PairSwitch, AGraphThatStays)
{
    Random random(461);
    const Pairs pairs = ring(9, 2);
    Ranks ranks(random, 9, kTerms);
    ranks.run(1000, [&](std::uint32_t) { return pairs; });
    ranks.expect_agreement(1000);
    ASSERT_EQ(ranks[0].graphs().size(), 1U);
    const std::uint32_t first = ranks[0].graphs().begin()->first;
    EXPECT_EQ(ranks.edges(first, true), pairs);
    EXPECT_EQ(ranks[0].served(first - 1), PairServing::displaced);
    EXPECT_EQ(ranks[0].served(999), PairServing::graph);
}

TEST(PairSwitch, ManyPairs)
{
    Random random(462);
    Ranks ranks(random, 6, kTerms);
    Pairs pairs;
    for (Rank step = 1; step < 6; ++step) {
        pairs.merge(ring(6, step));
    }
    ranks.run(300, [&](std::uint32_t) { return pairs; });
    ranks.expect_agreement(300);
    EXPECT_EQ(ranks[0].served(299), PairServing::displaced);
    EXPECT_TRUE(ranks[0].graphs().empty());
}

TEST(PairSwitch, DenseCallsAtFirst)
{
    Random random(469);
    Ranks ranks(random, 9, kTerms);
    Pairs all;
    for (Rank step = 1; step < 9; ++step) {
        all.merge(ring(9, step));
    }
    ranks.run(300, [&](std::uint32_t number) { return number < 5 ? all : ring(9, 1); });
    ranks.expect_agreement(300);
    EXPECT_EQ(ranks[0].served(10), PairServing::displaced);
    EXPECT_EQ(ranks[0].served(299), PairServing::graph);
}

TEST(PairSwitch, InitsAreServedAsTheFirstSurveySays)
{
    Random random(470);
    Ranks ranks(random, 9, kTerms);
    ranks.run(4, [&](std::uint32_t) { return ring(9, 1); });
    const std::uint32_t first = ranks[0].core().first();
    EXPECT_EQ(ranks[0].core().serving(first - 1), PairServing::displaced);
    EXPECT_EQ(ranks[0].core().serving_init(first - 1), PairServing::graph);
}

TEST(PairSwitch, ParametersDiffer)
{
    BuildNetwork network(2, BuildNetwork::Order::by_round);
    CallingRank one(0, 2, kTerms, network);
    CallingRank other(1, 2, kTerms, network, 18);
    const Pairs pairs{{0, 1}};
    for (int i = 0; i < 3; ++i) {
        one.call(pairs);
        other.call(pairs);
    }
    while (const auto message = network.take()) {
        (message->to == 0 ? one : other).arrived(message->from, *message->words);
    }
    EXPECT_TRUE(one.core().decided() && other.core().decided());
    EXPECT_EQ(one.core().serving(100), PairServing::displaced);
    EXPECT_EQ(one.core().quiet_until(), kNoNumber) << "no later survey";
}

TEST(PairSwitch, PairsThatChangeAlways)
{
    Random random(463);
    Ranks ranks(random, 12, kTerms);
    ranks.run(300, [&](std::uint32_t number) { return ring(12, 1 + Rank(number % 11)); });
    ranks.expect_agreement(300);
    EXPECT_TRUE(ranks[0].graphs().empty()) << "each pair has bytes in one call of eleven";
    EXPECT_EQ(ranks[0].served(299), PairServing::pairs);
}

TEST(PairSwitch, TwoSetsInTurn)
{
    Random random(464);
    Ranks ranks(random, 12, kTerms);
    ranks.run(300, [&](std::uint32_t number) { return ring(12, number % 2 == 0 ? 1 : 5); });
    ranks.expect_agreement(300);
    EXPECT_EQ(ranks[0].served(299), PairServing::graph);
    EXPECT_EQ(ranks[0].graphs().size(), 1U);
}

TEST(PairSwitch, AGraphThatChanges)
{
    Random random(465);
    Ranks ranks(random, 12, kTerms);
    ranks.run(600, [&](std::uint32_t number) { return ring(12, number < 200 ? 1 : 5); });
    ranks.expect_agreement(600);
    ASSERT_EQ(ranks[0].graphs().size(), 2U);
    EXPECT_EQ(ranks.edges(std::prev(ranks[0].graphs().end())->first, true), ring(12, 5));
}

TEST(PairSwitch, GraphsAreFew)
{
    Random random(466);
    Ranks ranks(random, 12, kTerms);
    ranks.run(6000, [&](std::uint32_t number) { return ring(12, 1 + Rank(number / 200 % 11)); });
    ranks.expect_agreement(6000);
    EXPECT_EQ(ranks[0].graphs().size(), kPairGraphs);
    EXPECT_EQ(ranks[0].served(5999), PairServing::pairs);
}

TEST(PairSwitch, NoLaterSurveys)
{
    Random random(467);
    PairTerms terms = kTerms;
    terms.watch = 0;
    Ranks ranks(random, 12, terms);
    ranks.run(600, [&](std::uint32_t number) { return ring(12, number < 200 ? 1 : 5); });
    ranks.expect_agreement(600);
    EXPECT_EQ(ranks[0].graphs().size(), 1U);
    EXPECT_EQ(ranks[0].served(599), PairServing::graph);
}

TEST(PairSwitch, RandomPairsAndPaces)
{
    Random random(468);
    for (int round = 0; round < scaled(200); ++round) {
        SCOPED_TRACE(round);
        const Rank ranks = draw(random, 1, 20);
        const PairTerms terms{kLimits, static_cast<std::uint32_t>(draw(random, 1, 5)),
                              static_cast<std::uint32_t>(draw(random, 0, 20))};
        const auto period = static_cast<std::uint32_t>(draw(random, 1, 150));
        const double density = draw(random, 0, 60) / 100.0;
        std::vector<Pairs> pairs;
        for (int i = 0; i < 5; ++i) {
            pairs.push_back(draw_pairs(random, ranks, density));
        }
        Ranks all(random, ranks, terms);
        all.run(400, [&](std::uint32_t number) { return pairs[number / period % 5]; });
        all.expect_agreement(400);
    }
}

} // namespace
} // namespace nbrhood::test
