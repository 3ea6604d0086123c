// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The lines of a text and their words, for readers that name the line of a mistake.
#pragma once

#include <string>
#include <string_view>

namespace nbrhood_tools {

/// Walks over a text, which must outlive it. Words are separated by blanks.
class TextLines {
public:
    /// `path` names the text in messages.
    TextLines(const std::string &path, const std::string &text);

    /// Moves to the next line. False when there is none.
    bool advance();

    /// Whether the line starts with this character.
    bool starts_with(char c) const { return line_.substr(0, 1) == std::string_view(&c, 1); }

    /// Whether the rest of the line is blank.
    bool is_blank() const;

    /// Takes the next word of the line; "" at the line's end.
    std::string_view word();

    /// Takes the next word, a whole number; false at the line's end. Fails when it is no number or
    /// does not fit.
    bool integer(long long &value);

    /// The same for a number that must be present; the message names it as `what`.
    long long required(const char *what);

    /// Fails when there is one more word on the line.
    void expect_end();

    /// Throws InputError with the file, the current line and the reason.
    [[noreturn]] void fail(const std::string &reason) const;

    /// The number of the current line, from 1.
    long number() const { return number_; }

private:
    const std::string &path_;
    std::string_view rest_; ///< behind the line
    std::string_view line_; ///< the rest of the line
    long number_ = 0;
};

} // namespace nbrhood_tools
