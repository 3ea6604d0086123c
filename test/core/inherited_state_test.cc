// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Inheritance of duplicates: all ranks must find the same result, whatever each knows when it makes
// its duplicate.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "build/inherited_state.h"

namespace nbrhood::test {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMost = 5; // number of calls to try; higher numbers bring nothing new

// A rank names its contribution to the agreed number, `limit`, when it has begun `named` calls.
struct Part {
    std::uint32_t named;
    std::uint32_t limit;
};

std::vector<Part> all_parts()
{
    std::vector<Part> parts;
    for (std::uint32_t named = 0; named <= kMost; ++named) {
        for (std::uint32_t limit = named; limit <= kMost; ++limit)
            parts.push_back({named, limit});
    }
    return parts;
}

// The possible answers of a rank for a duplicate that is made after this many calls: before and
// after it names its contribution, and after it knows the agreed number.
std::vector<Inheritance> answers(Part part, std::uint32_t calls, std::uint32_t final_after)
{
    std::vector<Inheritance> found;
    if (calls <= part.named)
        found.push_back(inheritance_after(calls, kNone, kNone));
    if (calls >= part.named) {
        found.push_back(inheritance_after(calls, part.limit, kNone));
        found.push_back(inheritance_after(calls, kNone, final_after));
    }
    return found;
}

// Calls are numbered from 0. The pattern serves finally from the greatest contribution on, and a
// rank that has begun that call lets duplicates inherit it.
std::uint32_t agreed(const std::array<Part, 3> &ranks)
{
    std::uint32_t number = 0;
    for (const Part &part : ranks)
        number = std::max(number, part.limit);
    return number + 1;
}

template <typename Check>
void for_all_ranks(Check check)
{
    const std::vector<Part> parts = all_parts();
    for (const Part &a : parts) {
        for (const Part &b : parts) {
            for (const Part &c : parts)
                check(std::array<Part, 3>{a, b, c});
        }
    }
}

TEST(Inheritance, AllRanksFindTheSameWhateverTheyKnow)
{
    std::size_t wrong = 0, waiting = 0, inheriting = 0;
    for_all_ranks([&](const std::array<Part, 3> &ranks) {
        for (std::uint32_t calls = 0; calls <= kMost + 2; ++calls) {
            const Inheritance right =
                calls >= agreed(ranks) ? Inheritance::decision : Inheritance::none;
            inheriting += right == Inheritance::decision ? 1 : 0;
            for (const Part &part : ranks) {
                for (const Inheritance found : answers(part, calls, agreed(ranks))) {
                    waiting += found == Inheritance::not_known ? 1 : 0;
                    wrong += found != Inheritance::not_known && found != right ? 1 : 0;
                }
            }
        }
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(waiting, 0U);
    EXPECT_GT(inheriting, 0U);
}

// No call is held back then, so the wait in a dup ends.
TEST(Inheritance, WhoKnowsTheNumberCanTell)
{
    for (std::uint32_t final_after = 0; final_after <= kMost; ++final_after) {
        for (std::uint32_t calls = 0; calls <= kMost; ++calls)
            EXPECT_NE(inheritance_after(calls, kNone, final_after), Inheritance::not_known);
    }
}

// A rank that holds no call back does not wait, because others may be in calls that need this
// rank's calls.
TEST(Inheritance, WhoHoldsNothingBackCanTell)
{
    for (std::uint32_t limit = 0; limit <= kMost; ++limit) {
        for (std::uint32_t calls = 0; calls <= limit; ++calls)
            EXPECT_EQ(inheritance_after(calls, limit, kNone), Inheritance::none);
    }
}

} // namespace
} // namespace nbrhood::test
