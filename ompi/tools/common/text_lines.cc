// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "text_lines.h"

#include "error.h"

#include <algorithm>
#include <charconv>

namespace nbrhood_tools {

namespace {

constexpr std::string_view blanks = " \t\r";

/// A word for a message, shortened if it is very long.
std::string in_quotes(std::string_view word)
{
    constexpr std::size_t most = 40;
    return "'" + std::string(word.substr(0, most)) + (word.size() > most ? "...'" : "'");
}

} // namespace

TextLines::TextLines(const std::string &path, const std::string &text) : path_(path), rest_(text) {}

bool TextLines::advance()
{
    if (rest_.empty())
        return false;
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return true;
}

bool TextLines::is_blank() const
{
    return line_.find_first_not_of(blanks) == std::string_view::npos;
}

std::string_view TextLines::word()
{
    line_.remove_prefix(std::min(line_.find_first_not_of(blanks), line_.size()));
    const std::string_view word = line_.substr(0, line_.find_first_of(blanks));
    line_.remove_prefix(word.size());
    return word;
}

bool TextLines::integer(long long &value)
{
    const std::string_view digits = word();
    if (digits.empty())
        return false;
    const char *const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
        fail("expected a whole number, not " + in_quotes(digits));
    return true;
}

long long TextLines::required(const char *what)
{
    long long value = 0;
    if (!integer(value))
        fail(std::string("the line ends before the ") + what);
    return value;
}

void TextLines::expect_end()
{
    const std::string_view more = word();
    if (!more.empty())
        fail(in_quotes(more) + " where the line should end");
}

void TextLines::fail(const std::string &reason) const
{
    throw InputError(path_, number_, reason);
}

} // namespace nbrhood_tools
