// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The link that messages share: compared with results by hand, and with a count of every message's
// share.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/shared_link.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(SharedLink, GivesEachMessageTheSamePart)
{
    SharedLink link;
    EXPECT_TRUE(link.empty());
    link.enter(7, 4, 10);
    EXPECT_DOUBLE_EQ(link.next_end(), 14);
    link.enter(8, 1, 12); // the first has two seconds left, and half the rate from now on
    EXPECT_DOUBLE_EQ(link.next_end(), 14);
    EXPECT_EQ(link.leave(), 8U);
    EXPECT_DOUBLE_EQ(link.next_end(), 15);
    EXPECT_EQ(link.leave(), 7U);
    EXPECT_TRUE(link.empty());
    link.enter(9, 3, 20);
    EXPECT_DOUBLE_EQ(link.next_end(), 23) << "nobody was there before";
}

TEST(SharedLink, EqualMessagesLeaveTogetherInTheirOrder)
{
    SharedLink link;
    for (const std::uint32_t message : {5U, 3U, 4U}) {
        link.enter(message, 0.1, 1);
    }
    const double end = link.next_end();
    EXPECT_DOUBLE_EQ(end, 1.3);
    for (const std::uint32_t message : {5U, 3U, 4U}) {
        EXPECT_EQ(link.next_end(), end);
        EXPECT_EQ(link.leave(), message);
    }
}

TEST(SharedLink, AgreesWithAnAccountOfEachMessage)
{
    for (int seed = 0; seed < scaled(500); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        SharedLink link;
        std::vector<std::pair<double, std::uint32_t>> left; // the remaining service of each
        double now = 0;
        const auto advance = [&](double to) {
            for (auto &entry : left) {
                entry.first -= (to - now) / static_cast<double>(left.size());
            }
            now = to;
        };
        std::uint32_t entered = 0;
        for (int step = 0; step < 200 || !left.empty(); ++step) {
            ASSERT_EQ(link.empty(), left.empty());
            const double arrival =
                step < 200 && chance(random, 0.6) ? now + draw(random, 0, 30) * 0.1 : -1;
            if (left.empty() && arrival < 0) {
                continue;
            }
            if (!left.empty()) {
                const auto first = std::min_element(left.begin(), left.end());
                const double end = now + first->first * static_cast<double>(left.size());
                ASSERT_NEAR(link.next_end(), end, 1e-9);
                if (arrival < 0 || end < arrival) {
                    advance(end);
                    const std::uint32_t gone = link.leave();
                    const auto found =
                        std::find_if(left.begin(), left.end(),
                                     [&](const auto &entry) { return entry.second == gone; });
                    ASSERT_NE(found, left.end());
                    ASSERT_NEAR(found->first, 0, 1e-9);
                    left.erase(found);
                    continue;
                }
            }
            advance(arrival);
            const double seconds = draw(random, 1, 50) * 0.1;
            left.emplace_back(seconds, entered);
            link.enter(entered++, seconds, arrival);
        }
    }
}

} // namespace
} // namespace nbrhood::test
