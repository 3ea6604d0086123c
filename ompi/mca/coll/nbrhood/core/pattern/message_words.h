// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages between the ranks that build a pattern together: words of 32 bits. A writer appends
// numbers; a reader takes them in the same order and checks their ranges.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace nbrhood {

// A message that its reader cannot accept.
class BadMessage : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Appends numbers to words. Throws std::bad_alloc only.
class WordWriter {
public:
    void put(std::int32_t word) { words_.push_back(word); }
    void put_long(std::int64_t value); // takes two words
    void put_all(const std::vector<std::int32_t> &words);
    // Their number, then the words; take_words() reads them together.
    void put_group(const std::vector<std::int32_t> &words);

    const std::vector<std::int32_t> &words() const { return words_; }
    std::vector<std::int32_t> take() { return std::move(words_); }

private:
    std::vector<std::int32_t> words_;
};

// Takes numbers from words, front to back, and throws BadMessage if none is left or one is out of
// range. The reader refers to the words, which must outlive it.
class WordReader {
public:
    explicit WordReader(const std::vector<std::int32_t> &words)
        : next_(words.data()), end_(words.data() + words.size())
    {}

    std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
    // Throws unless all words were taken.
    void expect_end() const;

    std::int32_t take();
    std::int32_t take(std::int32_t least, std::int32_t most);
    std::int64_t take_long(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           std::int64_t most = std::numeric_limits<std::int64_t>::max());
    bool take_flag() { return take(0, 1) != 0; }
    // The number of items that follow, of at least `words_each` words each. It is at most the
    // number of items for which there are words, so that memory may be reserved for them.
    std::size_t take_count(std::size_t words_each = 1);
    // A reader of the next `count` words; without a count, of the words of put_group().
    WordReader take_words(std::size_t count);
    WordReader take_group() { return take_words(take_count()); }
    // A copy of the words that are left.
    std::vector<std::int32_t> copy() const { return {next_, end_}; }

private:
    WordReader(const std::int32_t *begin, const std::int32_t *end) : next_(begin), end_(end) {}

    const std::int32_t *next_;
    const std::int32_t *end_;
};

} // namespace nbrhood
