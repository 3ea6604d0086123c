// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The decision of a trial from the times of its rounds.
#include <cmath>

#include <gtest/gtest.h>

#include "build/trial.h"
#include "pattern/message_words.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using Blocks = std::array<std::uint64_t, kTrialBlocks>; // nanoseconds on each of two ranks

// Calls that all ranks measured.
TrialResult after(const std::vector<Blocks> &rounds)
{
    TrialScore score;
    for (const Blocks &each : rounds) {
        score.add({2, 2 * each[0], 2 * each[1], 2 * each[2], 2 * each[3], 0, 0, 0, 0, 0, 2});
    }
    return score.result();
}

TEST(TrialScore, SteadyRoundDecides)
{
    for (const Blocks &faster : {Blocks{200, 100, 200, 100}, Blocks{110, 100, 130, 120}}) {
        EXPECT_TRUE(after({faster}).decided);
        EXPECT_TRUE(after({faster}).keep);
    }
    for (const Blocks &slower : {Blocks{100, 200, 100, 200}, Blocks{100, 110, 120, 130}}) {
        EXPECT_TRUE(after({slower}).decided);
        EXPECT_FALSE(after({slower}).keep);
    }
    EXPECT_FALSE(after({{100, 200, 130, 200}}).decided) << "direct messages became slower";
    EXPECT_FALSE(after({{200, 100, 200, 130}}).decided) << "the pattern became slower";
    EXPECT_FALSE(after({{200, 100, 200, 200}}).decided) << "one comparison shows nothing";
}

TEST(TrialScore, FourWinsAhead)
{
    const Blocks won{300, 200, 200, 100};
    const Blocks lost{200, 300, 100, 200};
    const Blocks divided{300, 100, 100, 300};
    EXPECT_FALSE(after({won}).decided);
    EXPECT_TRUE(after({won, won}).decided);
    EXPECT_TRUE(after({lost, lost}).decided);
    EXPECT_FALSE(after({lost, lost}).keep);
    EXPECT_FALSE(after({lost, won, lost}).decided);
    EXPECT_TRUE(after({lost, won, lost, divided, lost}).decided);
    EXPECT_FALSE(after({lost, won, lost, divided, lost}).keep);
}

TEST(TrialScore, LastRound)
{
    const Blocks near{104, 100, 100, 104};
    const Blocks lost{200, 300, 100, 200};
    EXPECT_FALSE(after({near, near, near, near, near}).decided);
    EXPECT_TRUE(after({near, near, near, near, near, near}).decided);
    EXPECT_TRUE(after({near, near, near, near, near, near}).keep);
    EXPECT_FALSE(after({near, near, lost, near, near, near}).keep);
}

TEST(TrialScore, WhatRanksMeasured)
{
    EXPECT_DOUBLE_EQ(after({{100, 50, 400, 200}}).direct_seconds, 200e-9);
    EXPECT_DOUBLE_EQ(after({{100, 50, 400, 200}}).pattern_seconds, 100e-9);
    const auto of = [](const std::vector<std::vector<std::uint64_t>> &rounds) {
        TrialScore score;
        for (const std::vector<std::uint64_t> &sums : rounds) {
            score.add(sums);
        }
        return score.result();
    };
    // Calls and starts count together if all ranks measured them.
    EXPECT_FALSE(of({{2, 10, 10, 10, 10, 2, 10, 20, 10, 20, 2}}).keep);
    EXPECT_TRUE(of({{2, 10, 10, 10, 10, 1, 10, 20, 10, 20, 2}}).keep);
    const std::vector<std::uint64_t> missed{1, 10, 20, 10, 20, 0, 0, 0, 0, 0, 2};
    EXPECT_FALSE(of({missed}).decided);
    EXPECT_TRUE(of({missed, missed}).decided) << "by the model";
    EXPECT_TRUE(of({missed, missed}).keep);
    EXPECT_FALSE(of({missed, missed}).measured);
    EXPECT_FALSE(of({missed, {2, 10, 20, 10, 20, 0, 0, 0, 0, 0, 2}}).keep);
    EXPECT_TRUE(of({{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}}).keep) << "no time passed";
    EXPECT_THROW(of({{2, 1}}), BadMessage);
    EXPECT_THROW(of({{2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}}), BadMessage);
}

// Other load comes and goes; while it runs, calls take eight times as long. Both last between two
// and forty blocks of quiet calls. A block takes up to twice as long as it should, at random.
class BusyMachine {
public:
    explicit BusyMachine(Random &random) : random_(random) {}
    // The mean time of a block that would take `quiet`.
    double block(double quiet)
    {
        const double noise = std::exp2(draw(random_, 0, 1000) / 1000.0);
        double work = quiet * noise;
        double elapsed = 0;
        while (work > 0) {
            const double speed = busy_ ? 0.125 : 1;
            const double done = std::min(work, left_ * speed);
            work -= done;
            elapsed += done / speed;
            left_ -= done / speed;
            if (left_ <= 0) {
                busy_ = !busy_;
                left_ = draw(random_, 2000, 40000) / 1000.0;
            }
        }
        return elapsed;
    }

private:
    Random &random_;
    bool busy_ = false;
    double left_ = 1;
};

TEST(TrialScore, BesideBursts)
{
    for (const double pattern : {0.5, 1.6}) {
        Random random(3);
        BusyMachine machine(random);
        constexpr int kTrials = 2000;
        int wrong = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            TrialScore score;
            do {
                std::vector<std::uint64_t> sums(11);
                sums[0] = sums[10] = 1;
                for (std::size_t block = 0; block < kTrialBlocks; ++block) {
                    const double quiet = is_direct_block(block) ? 1 : pattern;
                    sums[1 + block] = static_cast<std::uint64_t>(1e6 * machine.block(quiet));
                }
                score.add(sums);
            } while (!score.result().decided);
            wrong += score.result().keep == (pattern < 1) ? 0 : 1;
        }
        EXPECT_LE(wrong, kTrials / 40) << "a pattern that takes " << pattern << " of the time";
    }
}

} // namespace
} // namespace nbrhood::test
