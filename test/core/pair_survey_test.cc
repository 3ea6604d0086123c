// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The survey of the pairs that exchange bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "analysis/build_network.h"
#include "build/pair_survey.h"
#include "pattern/message_words.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr PairLimits kLimits{50, 1600};

PairFacts facts(std::uint64_t pairs, std::uint64_t messages = 1, std::uint64_t bytes = 0)
{
    PairFacts result;
    result.pairs = pairs;
    result.messages = messages;
    result.bytes = bytes;
    return result;
}

TEST(SeenPairs, RanksInAnyOrder)
{
    const std::vector<Rank> ascending{1, 3, 5, 9};
    std::vector<Rank> ranks = ascending;
    do {
        SeenPairs seen;
        seen.add({ranks, {}}, 0, {});
        seen.add({{}, ranks}, 0, {});
        EXPECT_EQ(seen.lists().to, ascending);
        EXPECT_EQ(seen.lists().from, ascending);
    } while (std::next_permutation(ranks.begin(), ranks.end()));
}

TEST(SeenPairs, UnionOfCalls)
{
    const PairLists graph{{2, 5}, {7}};
    SeenPairs seen;
    seen.add({{5, 2}, {7}}, 100, graph);
    seen.add({}, 0, graph);
    seen.add({{2, 9}, {1, 7}}, 20, graph);
    EXPECT_EQ(seen.lists().to, (std::vector<Rank>{2, 5, 9}));
    EXPECT_EQ(seen.lists().from, (std::vector<Rank>{1, 7}));
    EXPECT_EQ(seen.calls(), 3U);
    EXPECT_EQ(seen.messages(), 4U);
    EXPECT_EQ(seen.outside(), 1U);
    EXPECT_EQ(seen.bytes(), 120U);
    const PairFacts own(seen, 17);
    EXPECT_EQ(own.pairs, 3U);
    EXPECT_EQ(own.largest, 3U);
    EXPECT_EQ(own.outside, 1U);
    EXPECT_TRUE(own.equal);
}

TEST(PairSurvey, PaysForFewPairsOrSmallMessages)
{
    EXPECT_TRUE(pays(facts(0, 0), 4, kLimits)) << "empty calls need no message";
    EXPECT_TRUE(pays(facts(6, 3, 4800), 4, kLimits));
    EXPECT_FALSE(pays(facts(6, 3, 4801), 4, kLimits));
    EXPECT_FALSE(pays(facts(7, 3, 4800), 4, kLimits)) << "many pairs";
    EXPECT_TRUE(pays(facts(7, 3, 300), 4, kLimits));
    EXPECT_FALSE(pays(facts(7, 3, 301), 4, kLimits));
    EXPECT_FALSE(pays(facts(1, 1, 1600), 4, {0, 1600}));
    EXPECT_TRUE(pays(facts(12, 1, 1600), 4, {100, 1600}));
    PairFacts sum = facts(1);
    sum.merge(facts(2));
    EXPECT_TRUE(pays(sum, 4, kLimits));
    EXPECT_EQ(sum.pairs, 3U);
    PairFacts other;
    other.parameters = 1;
    sum.merge(other);
    sum.merge(facts(0));
    EXPECT_FALSE(pays(sum, 4, kLimits)) << "parameters differ";
}

TEST(PairSurvey, ManyPairsOfARankDoNotPay)
{
    PairFacts all = facts(1500 * 1024, 1);
    all.largest = 1024;
    EXPECT_TRUE(pays(all, 1500, kLimits));
    all.largest = 1025;
    EXPECT_FALSE(pays(all, 1500, kLimits));
    EXPECT_TRUE(pays(all, 3000, kLimits)) << "few pairs";
}

// A rank that makes calls while it takes part.
class SurveyingRank : public Post {
public:
    SurveyingRank(Rank rank, Rank ranks, BuildNetwork &network)
        : rank_(rank), network_(network),
          survey(
              rank, ranks, *this,
              [ranks](const PairFacts &all) { return pays(all, ranks, kLimits); },
              [this] {
                  EXPECT_FALSE(proposed) << "asked once";
                  proposed = calls + 2;
                  return *proposed;
              })
    {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        network_.send(rank_, peer, channel, words);
    }
    void expect(Rank peer, Channel channel) override { network_.expect(peer, rank_, channel); }

    std::uint32_t calls = 0;
    std::optional<std::uint32_t> proposed;

private:
    Rank rank_;
    BuildNetwork &network_;

public:
    PairSurvey survey;
};

// The ranks begin at random times, and make calls meanwhile, as far as they may.
void run_survey(Random &random, Rank ranks, std::uint64_t pairs_each)
{
    BuildNetwork network(static_cast<std::size_t>(ranks), BuildNetwork::Order::at_random, random());
    std::vector<std::unique_ptr<SurveyingRank>> all;
    std::vector<Rank> waiting;
    for (Rank rank = 0; rank < ranks; ++rank) {
        all.push_back(std::make_unique<SurveyingRank>(rank, ranks, network));
        waiting.push_back(rank);
    }
    std::shuffle(waiting.begin(), waiting.end(), random);
    const auto deliver = [&] {
        const auto message = network.take();
        if (message) {
            all[static_cast<std::size_t>(message->to)]->survey.arrived(message->from,
                                                                       *message->words);
        }
        return message.has_value();
    };
    while (!waiting.empty()) {
        for (const auto &rank : all) {
            EXPECT_FALSE(rank->proposed) << "before all have begun";
        }
        all[static_cast<std::size_t>(waiting.back())]->survey.begin(facts(pairs_each, 1, 200));
        waiting.pop_back();
        for (int messages = draw(random, 0, 5); messages > 0 && deliver();) {
            --messages;
        }
    }
    do {
        SurveyingRank &rank = *all[static_cast<std::size_t>(draw(random, 0, ranks - 1))];
        if (!rank.proposed || rank.survey.first() || rank.calls < *rank.proposed) {
            ++rank.calls;
        }
    } while (deliver());
    EXPECT_TRUE(network.is_empty());

    const std::uint64_t pairs = pairs_each * static_cast<std::uint64_t>(ranks);
    const bool agrees = pays(facts(pairs, 1, 200), ranks, kLimits);
    std::set<std::uint32_t> firsts;
    for (const auto &rank : all) {
        EXPECT_FALSE(rank->survey.runs());
        EXPECT_EQ(rank->survey.all().pairs, pairs);
        EXPECT_EQ(rank->survey.agrees(), agrees);
        EXPECT_EQ(rank->survey.first().has_value(), agrees);
        if (agrees) {
            firsts.insert(*rank->survey.first());
            EXPECT_LE(*rank->proposed, *rank->survey.first());
        }
    }
    EXPECT_EQ(firsts.size(), agrees ? 1U : 0U);
}

TEST(PairSurvey, RanksAgree)
{
    Random random(46);
    for (int round = 0; round < scaled(300); ++round) {
        SCOPED_TRACE(round);
        const Rank ranks = draw(random, 1, 40);
        run_survey(random, ranks, static_cast<std::uint64_t>(draw(random, 0, ranks - 1)));
    }
}

TEST(PairSurvey, RefusesWhatNoRankSends)
{
    BuildNetwork network(2, BuildNetwork::Order::by_round);
    SurveyingRank root(0, 2, network);
    root.survey.begin(facts(0));
    EXPECT_THROW(root.survey.arrived(1, {1, 2, 3}), BadMessage);
    SurveyingRank other(0, 2, network);
    other.survey.begin(facts(0));
    EXPECT_THROW(other.survey.arrived(1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}), BadMessage);
}

} // namespace
} // namespace nbrhood::test
