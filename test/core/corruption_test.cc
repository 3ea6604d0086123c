// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Corrupted messages of plans and of builders lead to errors, and to nothing worse.
#include <gtest/gtest.h>

#include <functional>

#include "corruption.h"
#include "corruption_rows.h"
#include "support.h"

namespace nbrhood::test {
namespace {

// Random bytes, enough for some decisions.
std::vector<std::uint8_t> random_bytes(std::uint64_t seed)
{
    Random random(seed);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(draw(random, 0, 400)));
    for (std::uint8_t &byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
    }
    return bytes;
}

using Corrupt = std::function<CorruptionResult(const std::uint8_t *, std::size_t)>;

CorruptionResult sum_of(int cases, const Corrupt &corrupt)
{
    CorruptionResult sum;
    for (int seed = 0; seed < scaled(cases) && !testing::Test::HasFailure(); ++seed) {
        const std::vector<std::uint8_t> bytes = random_bytes(static_cast<std::uint64_t>(seed));
        const CorruptionResult one = corrupt(bytes.data(), bytes.size());
        EXPECT_EQ(one.fault, "") << "seed " << seed;
        sum.changed += one.changed;
        sum.noticed += one.noticed;
        sum.built += one.built;
    }
    return sum;
}

TEST(Corruption, OfMessagesEndsOperationsAndHarmsNothing)
{
    const CorruptionResult sum = sum_of(3000, corrupt_messages);
    EXPECT_GT(sum.changed, scaled(1000));
    EXPECT_GT(sum.noticed, scaled(1000));
}

TEST(Corruption, OfBuildersIsNoticedOrHarmsNothing)
{
    const CorruptionResult sum = sum_of(3000, corrupt_builders);
    EXPECT_GT(sum.changed, scaled(1000));
    EXPECT_GT(sum.noticed, scaled(1000));
    EXPECT_GT(sum.built, scaled(100));
}

TEST(Corruption, OfBuildersOfEachAlgorithm)
{
    for (const Algorithm &row : registry()) {
        if (row.make_builder == nullptr || !serves(row, BlockKind::one_per_rank)) {
            continue;
        }
        SCOPED_TRACE(row.name);
        const CorruptionResult sum = sum_of(1500, [&](const std::uint8_t *data, std::size_t size) {
            return corrupt_row(row, data, size);
        });
        EXPECT_GT(sum.changed, scaled(300));
        EXPECT_GT(sum.noticed, scaled(300));
        EXPECT_GT(sum.built, scaled(30));
    }
}

TEST(Corruption, OfDeliveriesIsNoticedOrHarmsNothing)
{
    const CorruptionResult sum = sum_of(3000, corrupt_delivery);
    EXPECT_GT(sum.changed, scaled(1000));
    EXPECT_GT(sum.noticed, scaled(1000));
    EXPECT_GT(sum.built, scaled(100));
}

} // namespace
} // namespace nbrhood::test
