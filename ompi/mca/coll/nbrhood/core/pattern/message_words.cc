// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "pattern/message_words.h"

namespace nbrhood {

void WordWriter::put_long(std::int64_t value)
{
    put(static_cast<std::int32_t>(value & 0xffffffff));
    put(static_cast<std::int32_t>(value >> 32));
}

void WordWriter::put_all(const std::vector<std::int32_t> &words)
{
    words_.insert(words_.end(), words.begin(), words.end());
}

void WordWriter::put_group(const std::vector<std::int32_t> &words)
{
    put(static_cast<std::int32_t>(words.size()));
    put_all(words);
}

void WordReader::expect_end() const
{
    if (next_ != end_) {
        throw BadMessage("more words than expected");
    }
}

std::int32_t WordReader::take()
{
    if (next_ == end_) {
        throw BadMessage("fewer words than expected");
    }
    return *next_++;
}

std::int32_t WordReader::take(std::int32_t least, std::int32_t most)
{
    const std::int32_t word = take();
    if (word < least || word > most) {
        throw BadMessage("a word out of its range");
    }
    return word;
}

std::int64_t WordReader::take_long(std::int64_t least, std::int64_t most)
{
    const auto low = static_cast<std::uint32_t>(take());
    const auto high = static_cast<std::uint32_t>(take());
    const auto value = static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
    if (value < least || value > most) {
        throw BadMessage("a number out of its range");
    }
    return value;
}

std::size_t WordReader::take_count(std::size_t words_each)
{
    const std::int32_t count = take();
    if (count < 0 || static_cast<std::size_t>(count) > left() / words_each) {
        throw BadMessage("a count of more than there are words for");
    }
    return static_cast<std::size_t>(count);
}

WordReader WordReader::take_words(std::size_t count)
{
    if (count > left()) {
        throw BadMessage("fewer words than expected");
    }
    const std::int32_t *begin = next_;
    next_ += count;
    return {begin, next_};
}

} // namespace nbrhood
