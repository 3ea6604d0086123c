// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One rank's switch, for tests: remembers the background work that it begins, and ends this work.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "build/switch.h"

namespace nbrhood::test {

constexpr int kRequests = 2;

// Remembers the work that was begun; the test ends it.
struct Begun : Background {
    enum class What { nothing, build, comparison, question };
    void build(const SentBlocks &sent, Earlier earlier_builds, bool declares) override
    {
        what = What::build;
        blocks = sent;
        earlier = earlier_builds;
        declared = declares;
    }
    void compare(const Measured &own) override
    {
        what = What::comparison;
        measured = own;
    }
    void ask(const SentBlocks &sent) override
    {
        what = What::question;
        blocks = sent;
    }
    What what = What::nothing;
    SentBlocks blocks;
    Measured measured;
    Earlier earlier = Earlier::none;
    bool declared = false;
};

using What = Begun::What;

// The end of the present background work.
enum class End { gains, gains_nothing, direct_again, keeps, gives_up, another_round };

struct Rank1 {
    explicit Rank1(const SwitchTerms &terms) : sw(terms, background) {}

    CallFacts facts() const { return {{4, 4 * bytes}, calls, true, true, now}; }
    std::uint32_t call()
    {
        sw.begin_call(facts());
        now += 1;
        return calls++;
    }
    std::uint32_t start(std::uint32_t request)
    {
        sw.begin_start(request, starts[request], facts());
        return starts[request]++;
    }
    void end(End how, const CallCounts &agreed)
    {
        background.what = What::nothing;
        const BuildOutcome nothing{std::nullopt, std::nullopt, true};
        switch (how) {
        case End::gains:
            sw.built({agreed, std::nullopt, false});
            break;
        case End::gains_nothing:
            sw.built(nothing);
            break;
        case End::direct_again:
            sw.built({std::nullopt, agreed, true});
            break;
        case End::keeps:
            sw.compared({true, true, true, 1, 1}, agreed);
            break;
        case End::gives_up:
            sw.compared({true, true, false, 1, 1}, agreed);
            break;
        case End::another_round:
            sw.compared({true, false, true, 1, 1}, agreed);
            break;
        }
    }
    // Makes calls until background work begins.
    void call_until(What wanted)
    {
        for (int i = 0; background.what != wanted; ++i) {
            ASSERT_LT(i, 1000);
            call();
        }
    }

    Begun background;
    Switch sw;
    std::uint32_t calls = 0;
    std::uint32_t inits = 1; // request 0 is there from the beginning
    std::array<std::uint32_t, kRequests> starts{};
    std::uint64_t bytes = 8;
    double now = 0;
};

// A pattern is on trial, and the next call begins the comparison.
inline void before_comparison(Rank1 &rank)
{
    rank.start(0);
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.propose_switch_point(rank.inits));
    while (rank.sw.state() == Switch::State::on_trial
           && rank.calls < rank.sw.first_served().calls + 3) {
        rank.call();
    }
    ASSERT_EQ(rank.background.what, What::nothing);
}

} // namespace nbrhood::test
