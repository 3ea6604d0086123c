// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The switch of one rank, from state to state.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "switch_fixture.h"

namespace nbrhood::test {
namespace {

using State = Switch::State;

TEST(Switch, UnsuccessfulBuildsComeEightTimesAsLate)
{
    Rank1 rank({10, 0, 0});
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 11U);
    rank.end(End::gains_nothing, {});
    EXPECT_EQ(rank.sw.state(), State::direct);
    EXPECT_EQ(rank.background.earlier, Earlier::none);
    EXPECT_FALSE(rank.background.declared);
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 81U);
    EXPECT_EQ(rank.background.earlier, Earlier::no_gain);
}

// A rank may reach the number of the next build before it learns that this one found no pattern.
TEST(Switch, TheNextBuildBeginsWithTheAnswerOfTheLast)
{
    Rank1 rank({1, 0, 0});
    rank.call_until(What::build);
    for (int i = 0; i < 10; ++i) {
        rank.call();
    }
    rank.background.blocks = {};
    rank.end(End::gains_nothing, {});
    EXPECT_EQ(rank.background.what, What::build);
    EXPECT_EQ(rank.background.blocks.bytes, 32U) << "of the call that came to the number";
}

TEST(Switch, WithoutWhatABuildNeedsItWaits)
{
    Begun background;
    Switch sw({3, 0, 0}, background);
    for (std::uint32_t call = 0; call < 20; ++call) {
        sw.begin_call({{}, call, true, false, 0});
    }
    EXPECT_EQ(sw.state(), State::direct);
    EXPECT_TRUE(sw.call_wants_build(20));
    sw.begin_call({{}, 20, true, true, 0});
    EXPECT_EQ(sw.state(), State::building);
}

// The first block of the first trial consists of the last direct calls before the build.
TEST(Switch, TrialsMeasureTheLastDirectCallsFirst)
{
    Rank1 rank({10, 3, 0});
    rank.call_until(What::build);
    const CallCounts first = rank.sw.propose_switch_point(0);
    rank.end(End::gains, first);
    EXPECT_EQ(rank.sw.state(), State::on_trial);
    while (rank.background.what != What::comparison) {
        rank.now += rank.calls >= first.calls ? 1 : 0; // the pattern takes two seconds
        rank.call();
        ASSERT_LT(rank.calls, 100U);
    }
    EXPECT_EQ(rank.calls, first.calls + 10) << "three blocks, and the call behind them";
    EXPECT_EQ(rank.sw.state(), State::comparing);
    ASSERT_TRUE(rank.background.measured.calls.has_value());
    EXPECT_EQ((*rank.background.measured.calls)[0], 1000000000U);
    EXPECT_EQ((*rank.background.measured.calls)[1], 2000000000U);
    EXPECT_FALSE(rank.background.measured.starts.has_value());
}

TEST(Switch, SizesAreWatchedMoreAndMoreSeldom)
{
    Rank1 rank({0, 0, 4});
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.propose_switch_point(0));
    std::vector<std::uint32_t> asked;
    for (int question = 0; question < 8; ++question) {
        rank.call_until(What::question);
        asked.push_back(rank.calls);
        rank.background.what = What::nothing;
        rank.sw.answered(false);
    }
    std::vector<std::uint32_t> intervals;
    for (std::size_t i = 1; i < asked.size(); ++i) {
        intervals.push_back(asked[i] - asked[i - 1]);
    }
    EXPECT_EQ(intervals, (std::vector<std::uint32_t>{8, 16, 32, 64, 64, 64, 64}));
}

TEST(Switch, PatternsAreBuiltAFewTimesOnly)
{
    Rank1 rank({0, 0, 1});
    rank.call_until(What::build);
    for (int builds = 1; builds < kPatterns; ++builds) {
        rank.end(End::gains, rank.sw.propose_switch_point(0));
        rank.call_until(What::question);
        rank.background.what = What::nothing;
        rank.sw.answered(true);
        ASSERT_EQ(rank.background.what, What::build);
    }
    rank.end(End::gains, rank.sw.propose_switch_point(0));
    for (int i = 0; i < 100; ++i) {
        rank.call();
    }
    EXPECT_EQ(rank.background.what, What::nothing) << "no question follows the last one";
    EXPECT_EQ(rank.sw.serving_call(rank.sw.first_served().calls), kPatterns - 1);
}

// A second trial takes place once, and only for calls: requests and duplicates stay with the first
// decision.
TEST(Switch, WhatWasGivenUpIsTriedAgainOnce)
{
    for (const std::uint32_t watch_calls : {0U, 4U}) { // even if sizes are not watched
        Rank1 rank({0, 1, watch_calls});
        before_comparison(rank);
        rank.call_until(What::comparison);
        const CallCounts back = rank.sw.propose_switch_point(rank.inits);
        rank.end(End::gives_up, back);
        while (rank.background.what != What::comparison) {
            const std::uint32_t call = rank.call();
            ASSERT_LT(call, 1000U);
            EXPECT_TRUE(call < back.calls || rank.sw.serving_call(call) == kDirectMessages);
            if (rank.background.what == What::question) {
                rank.background.what = What::nothing;
                rank.sw.answered(false);
            }
        }
        EXPECT_GE(rank.calls, 10 * back.calls);
        EXPECT_FALSE(rank.background.measured.calls.has_value());
        const CallCounts again = rank.sw.propose_switch_point(rank.inits);
        rank.end(End::another_round, again);
        std::vector<int> served;
        while (rank.background.what != What::comparison) {
            const std::uint32_t call = rank.call();
            if (call >= again.calls) {
                served.push_back(rank.sw.serving_call(call));
            }
        }
        EXPECT_EQ(served, (std::vector<int>{-1, 0, -1, 0, 0}));
        EXPECT_EQ(rank.sw.serving_start(0, 1000), kDirectMessages);
        EXPECT_EQ(rank.sw.serving_start(1000, 0), kDirectMessages);
        EXPECT_EQ(rank.sw.inherited_pattern(), kDirectMessages);
        const CallCounts last = rank.sw.propose_switch_point(rank.inits);
        rank.end(End::gives_up, last);
        EXPECT_EQ(rank.sw.serving_call(last.calls), kDirectMessages);
        for (int i = 0; i < 3000; ++i) {
            rank.call();
            EXPECT_NE(rank.background.what, What::comparison);
            if (rank.background.what == What::question) {
                rank.background.what = What::nothing;
                rank.sw.answered(false);
            }
        }
    }
}

TEST(Switch, ALaterPatternServesWhereAnEarlierOneWasGivenUp)
{
    Rank1 rank({0, 1, 4});
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.propose_switch_point(0));
    rank.call_until(What::comparison);
    const CallCounts back = rank.sw.propose_switch_point(0);
    rank.end(End::gives_up, back);
    EXPECT_EQ(rank.sw.serving_call(back.calls - 1), 0);
    EXPECT_EQ(rank.sw.serving_call(back.calls), kDirectMessages);
    EXPECT_EQ(rank.sw.inherited_pattern(), kDirectMessages);
    rank.call_until(What::question);
    rank.background.what = What::nothing;
    rank.sw.answered(true);
    const CallCounts first = rank.sw.propose_switch_point(0);
    rank.end(End::gains, first);
    EXPECT_EQ(rank.sw.serving_call(first.calls - 1), kDirectMessages);
    rank.call_until(What::comparison);
    EXPECT_EQ(rank.sw.serving_call(rank.calls), 1);
    EXPECT_EQ(rank.sw.serving_start(0, 1000), kDirectMessages) << "requests stay with the first";
}

// ---- Reuse declared ----

TEST(Switch, TheFirstInitBeginsABuild)
{
    Rank1 rank({100, 2, 0});
    rank.sw.begin_init(rank.facts());
    ASSERT_EQ(rank.background.what, What::build);
    EXPECT_TRUE(rank.background.declared);
    const CallCounts first = rank.sw.propose_switch_point(1);
    rank.end(End::gains, first);
    std::vector<int> served;
    while (rank.background.what != What::comparison) {
        const std::uint32_t start = rank.start(0);
        served.push_back(rank.sw.serving_start(0, start));
        rank.now += 1;
        ASSERT_LT(start, 100U);
    }
    EXPECT_EQ(rank.starts[0], first.starts + 9) << "four blocks, and the start behind them";
    served.erase(served.begin(), served.begin() + first.starts);
    EXPECT_EQ(served, (std::vector<int>{-1, -1, 0, 0, -1, -1, 0, 0, 0}));
    EXPECT_TRUE(rank.background.measured.starts.has_value());
}

TEST(Switch, AnInitBeginsTheFirstBuildOnly)
{
    Rank1 rank({10, 0, 0});
    rank.sw.begin_init(rank.facts());
    rank.end(End::gains_nothing, {});
    EXPECT_FALSE(rank.sw.init_wants_build(0));
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 81U);

    // An init after the call that begins the build does not begin another one, even if this rank
    // could not build yet.
    Rank1 late({10, 0, 0});
    for (std::uint32_t call = 0; call <= 10; ++call) {
        late.sw.begin_call({{}, late.calls++, true, false, 0});
        EXPECT_EQ(late.sw.init_wants_build(late.calls), call < 10);
    }

    // If a rank may not build yet, its init leaves the build to the next call.
    Rank1 waits({10, 0, 0});
    waits.sw.begin_init({{}, 0, true, false, 0});
    EXPECT_EQ(waits.background.what, What::nothing);
    EXPECT_TRUE(waits.sw.call_wants_build(0));
    waits.call();
    EXPECT_EQ(waits.background.what, What::build);
}

TEST(Switch, DeclaredReuseBuildsWithTheFirstCall)
{
    Rank1 rank({100, 2, 0, true});
    rank.call();
    ASSERT_EQ(rank.background.what, What::build);
    rank.end(End::gains_nothing, {});
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 801U);

    // The trial measures its first block, too, however many calls went by before.
    Rank1 tried({100, 2, 0, true});
    for (int i = 0; i < 6; ++i) {
        tried.call();
    }
    const CallCounts first = tried.sw.propose_switch_point(0);
    tried.end(End::gains, first);
    tried.call_until(What::comparison);
    EXPECT_EQ(tried.calls, first.calls + 9);
    EXPECT_TRUE(tried.background.measured.calls.has_value());
}

// A request that is seldom started reaches the starts of an earlier round later than other
// requests.
TEST(Switch, DirectBlocksOfEarlierRoundsRemain)
{
    Rank1 rank({0, 2, 0});
    rank.start(0);
    const CallCounts first = rank.sw.propose_switch_point(rank.inits);
    rank.end(End::gains, first);
    std::vector<int> served;
    const auto serve = [&](std::uint32_t start) { return rank.sw.serving_start(0, start); };
    for (std::uint32_t start = 0; start < first.starts + 6; ++start) {
        served.push_back(serve(start));
    }
    EXPECT_EQ(served.back(), kDirectMessages) << "the fourth block";
    while (rank.background.what != What::comparison) {
        rank.start(0);
        ASSERT_LT(rank.starts[0], 100U);
    }
    rank.end(End::another_round, rank.sw.propose_switch_point(rank.inits));
    for (std::uint32_t start = 0; start < served.size(); ++start) {
        EXPECT_EQ(serve(start), served[start]) << start;
    }
}

TEST(Switch, RequestsThatAreMadeInTheTrialHaveThePatternFromTheirFirstStart)
{
    Rank1 rank({0, 1, 0});
    rank.call_until(What::build);
    const CallCounts first = rank.sw.propose_switch_point(rank.inits);
    rank.end(End::gains, first);
    EXPECT_EQ(rank.sw.serving_start(first.requests, 0), 0);
    rank.call_until(What::comparison);
    rank.end(End::keeps, rank.sw.propose_switch_point(first.requests + 1));
    EXPECT_EQ(rank.sw.serving_start(first.requests, 0), 0);
}

TEST(Switch, WhatWasInheritedServesFromTheFirstCall)
{
    Rank1 rank({5, 2, 4});
    rank.sw.inherit(true);
    EXPECT_EQ(rank.sw.serving_call(0), 0);
    EXPECT_EQ(rank.sw.serving_start(0, 0), 0);
    EXPECT_EQ(rank.sw.inheritance(0), Inheritance::decision);
    EXPECT_EQ(rank.sw.inherited_pattern(), 0);
    for (int i = 0; i < 100; ++i) {
        rank.call();
    }
    EXPECT_EQ(rank.background.what, What::nothing);

    Rank1 direct({5, 2, 4});
    direct.sw.inherit(false);
    EXPECT_EQ(direct.sw.serving_call(0), kDirectMessages);
    EXPECT_EQ(direct.sw.inherited_pattern(), kDirectMessages);
}

// ---- Calls that the switch need not see ----

// A switch that does not see the calls below quiet_until() behaves like one that sees all calls.
void expect_that_quiet_calls_change_nothing(End comparison_ends)
{
    for (const SwitchTerms &terms : {SwitchTerms{30, 2, 8}, SwitchTerms{30, 0, 8},
                                     SwitchTerms{1, 5, 0}, SwitchTerms{30, 2, 40}}) {
        Rank1 all(terms), some(terms);
        std::uint32_t quiet = 0, untold = 0;
        int serves = kDirectMessages;
        for (std::uint32_t call = 0; call < 400; ++call) {
            const bool told = call >= quiet;
            if (told) {
                some.now = all.now;
                some.sw.begin_call(some.facts());
                quiet = some.sw.quiet_until();
                serves = some.sw.serving_call(call + 1);
                EXPECT_EQ(some.sw.serving_call(call), all.sw.serving_call(call));
            } else {
                ++untold;
                EXPECT_EQ(serves, all.sw.serving_call(call)) << call;
            }
            ++some.calls;
            all.call();
            ASSERT_EQ(some.background.what, all.background.what) << call;
            ASSERT_EQ(some.background.blocks.bytes, all.background.blocks.bytes) << call;
            ASSERT_EQ(some.background.measured.calls, all.background.measured.calls) << call;
            if (call % 7 == 0 && all.background.what != What::nothing) {
                const bool comparison = all.background.what == What::comparison;
                const bool question = all.background.what == What::question;
                for (Rank1 *rank : {&all, &some}) {
                    if (question) {
                        rank->background.what = What::nothing;
                        rank->sw.answered(false);
                    } else {
                        rank->end(comparison ? comparison_ends : End::gains,
                                  rank->sw.propose_switch_point(0));
                    }
                }
            }
        }
        EXPECT_GT(untold, 30U);
    }
}

TEST(Switch, QuietCallsChangeNothing)
{
    expect_that_quiet_calls_change_nothing(End::keeps);
    expect_that_quiet_calls_change_nothing(End::gives_up);
}

} // namespace
} // namespace nbrhood::test
