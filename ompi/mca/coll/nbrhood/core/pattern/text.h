// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Reading the text format of a pattern line by line, for formats that contain it (pattern/dump.h),
// and reading the words of such lines.
#pragma once

#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "pattern/pattern.h"

namespace nbrhood {

// The words of a line, in the classic locale: the application may have set one in which numbers
// look different.
std::istringstream words_of(const std::string &line);

// Take the next word of a line. All throw std::invalid_argument with the reason: the word is
// missing, is not the expected one, is not a number or does not fit the type; or a word is left.
std::string read_word(std::istream &line, const char *what);
void expect_word(std::istream &line, const char *wanted);
void expect_end(std::istream &line);
template <typename T>
T read_number(std::istream &line, const char *what)
{
    long long value = 0;
    if (!(line >> value)) {
        throw std::invalid_argument(std::string("a number expected as ") + what);
    }
    if (value < static_cast<long long>(std::numeric_limits<T>::min())
        || value > static_cast<long long>(std::numeric_limits<T>::max())) {
        throw std::invalid_argument(std::string("a number out of range as ") + what);
    }
    return static_cast<T>(value);
}

class PatternReader {
public:
    // Takes one line and ignores an empty one. Throws std::invalid_argument with the reason.
    void take(const std::string &line);

    // Whether a line 'pattern ...' was taken.
    bool started() const { return started_; }
    const Pattern &pattern() const { return pattern_; }

private:
    Pattern pattern_;
    bool started_ = false;
};

} // namespace nbrhood
