// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The text format of a pattern, for people, dumps and tests.
#include "pattern/text.h"

#include <array>
#include <locale>

namespace nbrhood {
namespace {

constexpr std::array<const char *, 3> kKinds{"send", "receive", "copy"};
constexpr std::array<const char *, 4> kCarries{"direct", "combined", "direct_if_large",
                                               "direct_if_small"};
constexpr std::array<const char *, 2> kKindNames{"one_per_rank", "one_per_edge"};
constexpr char kSpaces[] = "srt";

template <std::size_t N>
std::size_t index_of(const std::array<const char *, N> &names, const std::string &name)
{
    for (std::size_t i = 0; i < N; ++i) {
        if (name == names[i]) {
            return i;
        }
    }
    throw std::invalid_argument("unknown word '" + name + "'");
}

Slice read_slice(const std::string &text)
{
    std::istringstream in = words_of(text);
    char space = 0;
    in.get(space);
    const std::size_t which = std::string(kSpaces).find(space);
    if (which == std::string::npos) {
        throw std::invalid_argument("slice '" + text + "' does not start with s, r or t");
    }
    Slice slice;
    slice.space = static_cast<Space>(which);
    slice.block = read_number<std::uint32_t>(in, "block");
    const auto expect = [&](char wanted) {
        if (in.get() != wanted) {
            throw std::invalid_argument("slice '" + text + "' lacks a '" + wanted + "'");
        }
    };
    if (in.peek() == '+') {
        in.get();
        slice.count = read_number<std::uint32_t>(in, "number of blocks");
    } else if (in.peek() == '/') {
        in.get();
        slice.first = read_number<std::uint16_t>(in, "first part");
        expect('-');
        slice.last = read_number<std::uint16_t>(in, "last part");
        expect('/');
        slice.of = read_number<std::uint16_t>(in, "parts");
    }
    if (in.peek() != std::istringstream::traits_type::eof() || !well_formed(slice)) {
        throw std::invalid_argument("slice '" + text
                                    + "' is not of the form s0, s0+COUNT or s0/FIRST-LAST/OF");
    }
    return slice;
}

Operation read_operation(std::istream &line, const std::string &kind)
{
    Operation operation;
    operation.kind = static_cast<OperationKind>(index_of(kKinds, kind));
    std::string word;
    line >> word;
    operation.carry = static_cast<Carry>(index_of(kCarries, word));
    operation.phase = read_number<std::uint8_t>(line, "phase");
    if (operation.phase >= kPhases) {
        throw std::invalid_argument("there is no phase " + std::to_string(operation.phase));
    }
    expect_word(line, "peer");
    operation.peer = read_number<Rank>(line, "peer");
    expect_word(line, "key");
    operation.key = read_number<std::int32_t>(line, "key");
    expect_word(line, ":");
    while (line >> word) {
        operation.slices.push_back(read_slice(word));
    }
    return operation;
}

} // namespace

std::istringstream words_of(const std::string &line)
{
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    return words;
}

std::string read_word(std::istream &line, const char *what)
{
    std::string word;
    if (!(line >> word)) {
        throw std::invalid_argument(std::string("a word expected as ") + what);
    }
    return word;
}

void expect_word(std::istream &line, const char *wanted)
{
    std::string word;
    if (!(line >> word) || word != wanted) {
        throw std::invalid_argument("'" + std::string(wanted) + "' expected, '" + word + "' found");
    }
}

void expect_end(std::istream &line)
{
    std::string word;
    if (line >> word) {
        throw std::invalid_argument("'" + word + "' where the line should end");
    }
}

const char *name_of(BlockKind kind)
{
    return kKindNames[static_cast<std::size_t>(kind)];
}

std::string to_text(const Pattern &pattern)
{
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << "pattern rank " << pattern.rank << ' ' << name_of(pattern.kind) << " staging "
        << pattern.staging_blocks << '\n';
    for (const Operation &operation : pattern.operations) {
        out << kKinds[static_cast<std::size_t>(operation.kind)] << ' '
            << kCarries[static_cast<std::size_t>(operation.carry)] << ' '
            << static_cast<int>(operation.phase) << " peer " << operation.peer << " key "
            << operation.key << " :";
        for (const Slice &slice : operation.slices) {
            out << ' ' << kSpaces[static_cast<std::size_t>(slice.space)] << slice.block;
            if (!slice.whole()) {
                out << '/' << slice.first << '-' << slice.last << '/' << slice.of;
            } else if (slice.count != 1) {
                out << '+' << slice.count;
            }
        }
        out << '\n';
    }
    return out.str();
}

void PatternReader::take(const std::string &line)
{
    std::istringstream words = words_of(line);
    std::string first;
    if (!(words >> first)) {
        return;
    }
    if (first == "pattern") {
        if (started_) {
            throw std::invalid_argument("a second line 'pattern ...'");
        }
        expect_word(words, "rank");
        pattern_.rank = read_number<Rank>(words, "rank");
        pattern_.kind =
            static_cast<BlockKind>(index_of(kKindNames, read_word(words, "kind of blocks")));
        expect_word(words, "staging");
        pattern_.staging_blocks = read_number<std::uint32_t>(words, "staging blocks");
        expect_end(words);
        started_ = true;
    } else if (!started_) {
        throw std::invalid_argument("the first line must be 'pattern ...'");
    } else {
        pattern_.operations.push_back(read_operation(words, first));
    }
}

Pattern from_text(const std::string &text)
{
    std::istringstream lines(text);
    std::string line;
    PatternReader reader;
    for (int number = 1; std::getline(lines, line); ++number) {
        try {
            reader.take(line);
        } catch (const std::invalid_argument &error) {
            throw std::invalid_argument("line " + std::to_string(number) + ": " + error.what());
        }
    }
    if (!reader.started()) {
        throw std::invalid_argument("line 1: the text holds no pattern");
    }
    return reader.pattern();
}

} // namespace nbrhood
