// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Words, and messages of builders: readers accept the output of writers, and nothing else.
#include <gtest/gtest.h>

#include <limits>

#include "algorithms/toolkit/checked_messages.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(Words, AreTakenAsTheyWerePut)
{
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    WordWriter writer;
    writer.put(-7);
    for (const std::int64_t value : {kLeast, std::int64_t{-1}, std::int64_t{1} << 31, kMost}) {
        writer.put_long(value);
    }
    writer.put(1);
    writer.put_group({4, 5});
    writer.put_all({8, 9});
    const std::vector<std::int32_t> words = writer.take();
    WordReader reader(words);
    EXPECT_EQ(reader.take(), -7);
    for (const std::int64_t value : {kLeast, std::int64_t{-1}, std::int64_t{1} << 31, kMost}) {
        EXPECT_EQ(reader.take_long(kLeast, kMost), value);
    }
    EXPECT_TRUE(reader.take_flag());
    WordReader group = reader.take_group();
    EXPECT_EQ(group.copy(), (std::vector<std::int32_t>{4, 5}));
    EXPECT_THROW(group.expect_end(), BadMessage);
    EXPECT_EQ(reader.left(), 2U);
    EXPECT_EQ(reader.take_words(2).copy(), (std::vector<std::int32_t>{8, 9}));
    EXPECT_NO_THROW(reader.expect_end());
    EXPECT_THROW(reader.take(), BadMessage);
}

TEST(Words, OutOfRangeOrMissingThrow)
{
    const auto read = [](const std::vector<std::int32_t> &words, const auto &take) {
        WordReader reader(words);
        take(reader);
    };
    EXPECT_THROW(read({3}, [](WordReader &r) { r.take(0, 2); }), BadMessage);
    EXPECT_THROW(read({-1}, [](WordReader &r) { r.take(0, 2); }), BadMessage);
    EXPECT_THROW(read({2}, [](WordReader &r) { r.take_flag(); }), BadMessage);
    EXPECT_THROW(read({0}, [](WordReader &r) { r.take_long(0, 5); }), BadMessage);
    EXPECT_THROW(read({6, 0}, [](WordReader &r) { r.take_long(0, 5); }), BadMessage);
    EXPECT_THROW(read({0, -1}, [](WordReader &r) { r.take_long(0, 5); }), BadMessage);
    EXPECT_THROW(read({-1, 0}, [](WordReader &r) { r.take_count(); }), BadMessage);
    EXPECT_THROW(read({2, 0}, [](WordReader &r) { r.take_count(); }), BadMessage);
    EXPECT_THROW(read({2, 0, 0, 0}, [](WordReader &r) { r.take_count(2); }), BadMessage);
    EXPECT_NO_THROW(read({2, 0, 0, 0, 0}, [](WordReader &r) { r.take_count(2); }));
    EXPECT_THROW(read({1, 2}, [](WordReader &r) { r.take_words(3); }), BadMessage);
    EXPECT_THROW(read({}, [](WordReader &r) { r.take_group(); }), BadMessage);
}

TEST(CheckedMessages, AreNotMistakenForOthers)
{
    const std::vector<std::int32_t> words{5, 0, -3};
    const Message sent = CheckedMessages(2).write(1, 4, false, words);
    const auto open = [](int kind, Rank from, Rank to, bool failed,
                         std::vector<std::int32_t> text) {
        CheckedMessages(to).open(kind, Message{from, failed, std::move(text)});
    };
    const Message arrived{2, false, sent.words};
    EXPECT_EQ(CheckedMessages(4).open(1, arrived).copy(), words);
    EXPECT_THROW(open(2, 2, 4, false, sent.words), BadMessage);
    EXPECT_THROW(open(1, 3, 4, false, sent.words), BadMessage);
    EXPECT_THROW(open(1, 2, 5, false, sent.words), BadMessage);
    EXPECT_THROW(open(1, 2, 4, true, sent.words), BadMessage);
    EXPECT_THROW(open(1, 2, 4, false, {}), BadMessage);
    for (std::size_t at = 0; at < sent.words.size(); ++at) {
        std::vector<std::int32_t> wrong = sent.words;
        wrong[at] ^= 1 << at;
        EXPECT_THROW(open(1, 2, 4, false, wrong), BadMessage);
        wrong = sent.words;
        wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(at));
        EXPECT_THROW(open(1, 2, 4, false, wrong), BadMessage);
        wrong = sent.words;
        wrong.insert(wrong.begin() + static_cast<std::ptrdiff_t>(at), 0);
        EXPECT_THROW(open(1, 2, 4, false, wrong), BadMessage);
    }
    const Message failed = CheckedMessages(2).write(1, 4, true, words);
    EXPECT_EQ(failed.words.size(), 1U) << "nothing but the seal";
    EXPECT_THROW(open(1, 2, 4, true, failed.words), OtherFailed);
    EXPECT_THROW(open(1, 2, 4, false, failed.words), BadMessage);
}

} // namespace
} // namespace nbrhood::test
