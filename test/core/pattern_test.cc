// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The forms of a pattern: text, words, hash.
#include <gtest/gtest.h>

#include <stdexcept>

#include "support.h"

namespace nbrhood::test {
namespace {

Slice random_slice(Random &random)
{
    Slice slice;
    slice.space = static_cast<Space>(draw(random, 0, 2));
    slice.block = static_cast<std::uint32_t>(draw(random, 0, chance(random, 0.1) ? 1 << 28 : 40));
    if (chance(random, 0.2)) {
        slice.of = static_cast<std::uint16_t>(draw(random, 2, chance(random, 0.2) ? 65535 : 9));
        slice.first = static_cast<std::uint16_t>(draw(random, 0, slice.of - 1));
        slice.last = static_cast<std::uint16_t>(draw(random, slice.first + 1, slice.of));
    } else if (chance(random, 0.2)) {
        slice.count =
            static_cast<std::uint32_t>(draw(random, 2, chance(random, 0.1) ? 1 << 28 : 9));
    }
    return slice;
}

Operation random_operation(Random &random)
{
    Operation operation;
    operation.kind = static_cast<OperationKind>(draw(random, 0, 2));
    operation.carry = static_cast<Carry>(draw(random, 0, 2));
    operation.phase = static_cast<std::uint8_t>(draw(random, 0, kPhases - 1));
    operation.peer = draw(random, 0, 100000);
    operation.key = draw(random, -3, 1000);
    for (int i = draw(random, 0, 8); i > 0; --i) {
        operation.slices.push_back(random_slice(random));
    }
    return operation;
}

Pattern random_pattern(Random &random)
{
    Pattern pattern;
    pattern.rank = draw(random, 0, 5000);
    pattern.kind = static_cast<BlockKind>(draw(random, 0, 1));
    pattern.staging_blocks = static_cast<std::uint32_t>(draw(random, 0, 300));
    for (int i = draw(random, 0, 12); i > 0; --i) {
        pattern.operations.push_back(random_operation(random));
    }
    return pattern;
}

TEST(PatternText, IsReadBackAsWritten)
{
    for (int seed = 0; seed < scaled(1000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Pattern pattern = random_pattern(random);
        ASSERT_EQ(from_text(to_text(pattern)), pattern) << to_text(pattern);
    }
}

TEST(PatternText, HasTheDocumentedForm)
{
    const std::string text = "pattern rank 3 one_per_edge staging 2\n"
                             "send combined 1 peer 7 key 0 : s0 s3 t1/0-1/2\n"
                             "copy direct 0 peer 3 key 1 : s1 r4\n";
    const Pattern pattern = from_text(text);
    EXPECT_EQ(to_text(pattern), text);
    ASSERT_EQ(pattern.operations.size(), 2U);
    EXPECT_EQ(pattern.operations[0].slices[2], interval(Space::staging, 1, 0, 1, 2));
    EXPECT_EQ(from_text("\n  " + text + "\n\n"), pattern) << "blank lines are skipped";
}

std::string refusal(const std::string &text)
{
    return reason_of([&] { from_text(text); });
}

TEST(PatternText, BadTextIsRefusedWithLineAndReason)
{
    const std::string head = "pattern rank 0 one_per_edge staging 1\n";
    const std::pair<std::string, const char *> cases[] = {
        {"", "line 1: the text holds no pattern"},
        {"send direct 0 peer 1 key 0 : s0", "line 1: the first line must be 'pattern ...'"},
        {"pattern 3", "line 1: 'rank' expected, '3' found"},
        {"pattern rank x", "line 1: a number expected as rank"},
        {"pattern rank 1 one_per_node staging 0", "line 1: unknown word 'one_per_node'"},
        {"pattern rank 1 one_per_edge", "line 1: 'staging' expected, '' found"},
        {head + "sends whole 0 peer 1 key 0 : s0", "line 2: unknown word 'sends'"},
        {head + "send hole 0 peer 1 key 0 : s0", "line 2: unknown word 'hole'"},
        {head + "\nsend direct x", "line 3: a number expected as phase"},
        {head + "send direct 0 peer 1 : s0", "line 2: 'key' expected, ':' found"},
        {head + "send direct 0 peer 1 key 0 s0", "line 2: ':' expected, 's0' found"},
        {head + "send direct 0 peer 1 key 0 : x0", "does not start with s, r or t"},
        {head + "send direct 0 peer 1 key 0 : s", "line 2: a number expected as block"},
        {head + "send direct 0 peer 1 key 0 : s0/1", "lacks a '-'"},
        {head + "send direct 0 peer 1 key 0 : s0/1-2", "lacks a '/'"},
        {head + "send direct 0 peer 1 key 0 : s0/2-2/2", "is not of the form"},
        {head + "send direct 0 peer 1 key 0 : s0/0-3/2", "is not of the form"},
        {head + "send direct 0 peer 1 key 0 : s0/0/2", "lacks a '-'"},
        {head + "send direct 0 peer 1 key 0 : s0+0", "is not of the form"},
        {head + "send direct 0 peer 1 key 0 : s536870912", "is not of the form"},
        {head + "send direct 0 peer 1 key 0 : s0x", "is not of the form"},
    };
    for (const auto &[text, reason] : cases) {
        EXPECT_NE(refusal(text).find(reason), std::string::npos)
            << "'" << text << "' gives: " << refusal(text);
        EXPECT_EQ(refusal(text).find("line "), 0U) << refusal(text);
    }
}

// A number that does not fit must be refused, not truncated.
TEST(PatternText, NumbersOutOfRangeAreRefused)
{
    const std::string head = "pattern rank 0 one_per_edge staging 1\n";
    for (const std::string &text :
         {std::string("pattern rank 4294967299 one_per_edge staging 0"),
          std::string("pattern rank 1 one_per_edge staging -1"),
          head + "send direct 300 peer 1 key 0 : s0", head + "send direct -1 peer 1 key 0 : s0",
          head + "send direct 0 peer 4294967297 key 0 : s0",
          head + "send direct 0 peer 1 key 0 : s-1",
          head + "send direct 0 peer 1 key 0 : s0/65536-3/3"}) {
        EXPECT_EQ(refusal(text).find("line "), 0U) << "'" << text << "': " << refusal(text);
    }
}

TEST(PatternWords, AreReadBackAsWritten)
{
    for (int seed = 0; seed < scaled(1000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Pattern pattern = random_pattern(random);
        std::vector<std::int32_t> words;
        for (const Operation &operation : pattern.operations) {
            encode_operation(operation, words);
        }
        WordReader reader(words);
        for (const Operation &operation : pattern.operations) {
            ASSERT_EQ(decode_operation(reader), operation);
        }
        ASSERT_EQ(reader.left(), 0U);
    }
}

TEST(PatternWords, ThatEndEarlyOrAreNoOperationsThrow)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        std::vector<std::int32_t> words;
        encode_operation(random_operation(random), words);
        for (std::size_t size = 0; size < words.size(); ++size) {
            const std::vector<std::int32_t> shorter(
                words.begin(), words.begin() + static_cast<std::ptrdiff_t>(size));
            WordReader reader(shorter);
            ASSERT_THROW(decode_operation(reader), BadMessage);
        }
        const auto refused = [&](std::size_t at, std::int32_t word) {
            std::vector<std::int32_t> wrong = words;
            wrong.at(at) = word;
            WordReader reader(wrong);
            EXPECT_THROW(decode_operation(reader), BadMessage) << word << " at " << at;
        };
        refused(3, -1); // as many slices as there can be
        refused(3, static_cast<std::int32_t>(words.size()));
        refused(0, 3);      // kind
        refused(0, 4 << 4); // carry
        refused(0, kPhases << 8);
        refused(0, -1);
        if (words.size() > 4) {
            refused(4, 3); // space
        }
    }
}

TEST(PatternHash, DependsOnEveryField)
{
    const Pattern base = from_text("pattern rank 3 one_per_edge staging 2\n"
                                   "send combined 1 peer 7 key 0 : s0 s3 t1/0-1/2\n"
                                   "receive combined 1 peer 6 key 0 : t0\n");
    std::vector<Pattern> others(13, base);
    others[0].rank = 4;
    others[1].kind = BlockKind::one_per_rank;
    others[2].staging_blocks = 3;
    others[3].operations.pop_back();
    std::swap(others[4].operations[0], others[4].operations[1]);
    others[5].operations[0].kind = OperationKind::copy;
    others[6].operations[0].carry = Carry::direct_if_large;
    others[7].operations[0].phase = 2;
    others[8].operations[0].peer = 8;
    others[9].operations[0].key = 1;
    std::swap(others[10].operations[0].slices[0], others[10].operations[0].slices[1]);
    others[11].operations[0].slices[2] = interval(Space::staging, 1, 1, 2, 2);
    others[12].operations[1].slices[0].space = Space::receive;
    for (const Pattern &other : others) {
        EXPECT_FALSE(other == base);
        EXPECT_NE(hash_pattern(other), hash_pattern(base)) << to_text(other);
    }
    EXPECT_EQ(hash_pattern(Pattern(base)), hash_pattern(base));
}

} // namespace
} // namespace nbrhood::test
