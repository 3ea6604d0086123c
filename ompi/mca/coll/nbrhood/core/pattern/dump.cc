// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "pattern/dump.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "files/number_text.h"
#include "pattern/text.h"

namespace nbrhood {
namespace {

constexpr const char *kTitle = "nbrhood_recording";
constexpr int kDumpVersion = 3;
constexpr const char *kNone = "none"; // in place of the number of a rank or domain
constexpr const char *kEnd = "end";

std::string title()
{
    return std::string(kTitle) + " " + std::to_string(kDumpVersion);
}

// A rank, node or domain: a number from 0 to `most`, or none.
std::int32_t read_index(std::istream &line, const char *what, std::int32_t most, bool may_be_none)
{
    std::string word = read_word(line, what);
    if (word == kNone && may_be_none) {
        return -1;
    }
    std::istringstream number = words_of(word);
    const auto index = read_number<std::int32_t>(number, what);
    expect_end(number);
    if (index < 0 || index > most) {
        throw std::invalid_argument(word + " is not a number from 0 to " + std::to_string(most)
                                    + " as " + what);
    }
    return index;
}

std::string index_text(std::int32_t index)
{
    return index < 0 ? kNone : std::to_string(index);
}

constexpr std::int32_t kGreatest = std::numeric_limits<std::int32_t>::max();

// A line "name value" of a file.
struct Field {
    const char *name;
    void (*read)(RecordedRank &rank, std::istream &line);
    std::string (*text)(const RecordedRank &rank); // empty: no line
    bool optional = false;
};

std::uint32_t read_bytes(std::istream &line)
{
    return read_number<std::uint32_t>(line, "bytes");
}

double read_positive(std::istream &line)
{
    double value = 0;
    if (!(line >> value) || !(value > 0)) {
        throw std::invalid_argument("a positive number expected");
    }
    return value;
}

// In the order of the lines in a file.
const std::array<Field, 11> kFields{{
    {"communicator",
     [](RecordedRank &r, std::istream &in) { r.communicator = read_word(in, "name"); },
     [](const RecordedRank &r) { return r.communicator; }},
    {"ranks",
     [](RecordedRank &r, std::istream &in) { r.ranks = read_index(in, "ranks", kGreatest, false); },
     [](const RecordedRank &r) { return std::to_string(r.ranks); }},
    {"algorithm", [](RecordedRank &r, std::istream &in) { r.algorithm = read_word(in, "name"); },
     [](const RecordedRank &r) { return r.algorithm; }},
    {"host", [](RecordedRank &r, std::istream &in) { r.host = read_word(in, "name"); },
     [](const RecordedRank &r) { return r.host; }},
    {"node",
     [](RecordedRank &r, std::istream &in) { r.node = read_index(in, "node", kGreatest, false); },
     [](const RecordedRank &r) { return std::to_string(r.node); }},
    {"domains",
     [](RecordedRank &r, std::istream &in) {
         for (std::int16_t &domain : r.domains) {
             domain = static_cast<std::int16_t>(
                 read_index(in, "domain", std::numeric_limits<std::int16_t>::max(), true));
         }
     },
     [](const RecordedRank &r) {
         std::string text;
         for (const std::int16_t domain : r.domains) {
             text += (text.empty() ? "" : " ") + index_text(domain);
         }
         return text;
     }},
    {"region", [](RecordedRank &r, std::istream &in) { r.region = read_word(in, "level"); },
     [](const RecordedRank &r) { return r.region; }},
    {"ranks_per_core",
     [](RecordedRank &r, std::istream &in) { r.ranks_per_core = read_positive(in); },
     [](const RecordedRank &r) { return number_text(r.ranks_per_core); }},
    {"combining_threshold",
     [](RecordedRank &r, std::istream &in) { r.combining_threshold = read_bytes(in); },
     [](const RecordedRank &r) { return std::to_string(r.combining_threshold); }},
    {"packing_threshold",
     [](RecordedRank &r, std::istream &in) { r.packing_threshold = read_bytes(in); },
     [](const RecordedRank &r) { return std::to_string(r.packing_threshold); }},
    {"members",
     [](RecordedRank &r, std::istream &in) {
         r.members = read_index(in, "members", kGreatest, false);
     },
     [](const RecordedRank &r) { return r.members != r.ranks ? std::to_string(r.members) : ""; },
     true},
}};

class Reader {
public:
    // A line that is not blank.
    void take(const std::string &text)
    {
        std::istringstream line = words_of(text);
        const std::string first = read_word(line, "first");
        if (!titled_) {
            take_title(first, line);
        } else if (ended_) {
            throw std::invalid_argument("'" + first + "' after the last line, '" + kEnd + "'");
        } else if (first == kEnd) {
            take_end(line);
        } else if (pattern_.started()) {
            take_operation(text);
        } else if (first == "pattern") {
            take_pattern(text);
        } else if (first == "in" || first == "out") {
            auto &edges = first == "in" ? rank_.neighbourhood.in : rank_.neighbourhood.out;
            edges.push_back(read_edge(line));
        } else {
            take_field(first, line);
        }
    }

    bool ended() const { return ended_; }
    bool titled() const { return titled_; }

    RecordedRank finish() const
    {
        RecordedRank result = rank_;
        result.pattern = pattern_.pattern();
        result.neighbourhood.rank = result.pattern.rank;
        return result;
    }

private:
    void take_title(const std::string &first, std::istream &line)
    {
        if (first != kTitle) {
            throw std::invalid_argument("the first line must be '" + title() + "', not '" + first
                                        + " ...'");
        }
        const std::string version = read_word(line, "version");
        if (version != std::to_string(kDumpVersion)) {
            throw std::invalid_argument("version '" + version
                                        + "' of the file format is not known, only "
                                        + std::to_string(kDumpVersion));
        }
        expect_end(line);
        titled_ = true;
    }

    void take_field(const std::string &name, std::istream &line)
    {
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (name == kFields[i].name) {
                if (given_[i]) {
                    throw std::invalid_argument(name + " is given twice");
                }
                try {
                    kFields[i].read(rank_, line);
                    expect_end(line);
                } catch (const std::invalid_argument &error) {
                    throw std::invalid_argument(name + ": " + error.what());
                }
                given_[i] = true;
                return;
            }
        }
        throw std::invalid_argument("unknown name '" + name + "'");
    }

    // Checks that all fields precede the part that needs them.
    void expect_fields() const
    {
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (!given_[i] && !kFields[i].optional) {
                throw std::invalid_argument("the line '" + std::string(kFields[i].name)
                                            + " ...' is missing above");
            }
        }
    }

    EdgeEnd read_edge(std::istream &line) const
    {
        expect_fields();
        EdgeEnd edge;
        expect_word(line, "peer");
        edge.peer = read_index(line, "peer", rank_.ranks - 1, true);
        expect_word(line, "key");
        edge.key = read_index(line, "key", kGreatest, false);
        std::string word;
        if (line >> word) {
            if (word != "weight") {
                throw std::invalid_argument("'weight' expected, '" + word + "' found");
            }
            edge.weight = read_index(line, "weight", kGreatestWeight, false);
            expect_end(line);
        }
        return edge;
    }

    void take_pattern(const std::string &text)
    {
        expect_fields();
        take_members();
        pattern_.take(text);
        check_rank(pattern_.pattern().rank, "rank");
    }

    void take_members()
    {
        if (!given_.back()) {
            rank_.members = rank_.ranks;
        } else if (rank_.members < 1 || rank_.members > rank_.ranks) {
            throw std::invalid_argument(std::to_string(rank_.members) + " members of "
                                        + std::to_string(rank_.ranks) + " ranks");
        }
    }

    void check_rank(Rank rank, const char *what) const
    {
        if (rank < 0 || rank >= rank_.ranks) {
            throw std::invalid_argument(std::string(what) + " " + std::to_string(rank)
                                        + " is not one of " + std::to_string(rank_.ranks)
                                        + " ranks");
        }
    }

    // Users of the pattern use these numbers as indices.
    void check_slice(const Slice &slice) const
    {
        constexpr std::array<const char *, 3> kNames{"send", "receive", "staging"};
        const Pattern &pattern = pattern_.pattern();
        const std::array<std::size_t, 3> blocks{
            pattern.kind == BlockKind::one_per_rank ? 1 : rank_.neighbourhood.out.size(),
            rank_.neighbourhood.in.size(), pattern.staging_blocks};
        const auto space = static_cast<std::size_t>(slice.space);
        const std::size_t last = std::size_t{slice.block} + slice.count - 1;
        if (last >= blocks[space]) {
            throw std::invalid_argument(std::string("there is no ") + kNames[space] + " block "
                                        + std::to_string(last) + " among "
                                        + std::to_string(blocks[space]));
        }
    }

    void take_operation(const std::string &text)
    {
        pattern_.take(text);
        const Operation &operation = pattern_.pattern().operations.back();
        const std::size_t slices = operation.slices.size();
        if (operation.key < 0) {
            throw std::invalid_argument("the key is negative");
        }
        for (const Slice &slice : operation.slices) {
            check_slice(slice);
        }
        if (operation.kind != OperationKind::copy || operation.peer != kNoRank) {
            check_rank(operation.peer, "peer");
        }
        if (operation.kind == OperationKind::copy) {
            if (slices != 2) {
                throw std::invalid_argument("a copy has two slices, from and to");
            }
            return;
        }
        if (slices == 0) {
            throw std::invalid_argument("a message without slices");
        }
        const Slice &first = operation.slices.front();
        const bool alone =
            operation.carry == Carry::direct_if_small || operation.carry == Carry::direct_if_large;
        if (alone && !travels_in_bytes(operation.carry, operation.phase)
            && (slices != 1 || first.count != 1 || !first.whole())) {
            throw std::invalid_argument("a message by size has other data than one block");
        }
    }

    void take_end(std::istream &line)
    {
        if (!pattern_.started()) {
            throw std::invalid_argument("the line 'pattern ...' is missing above");
        }
        expect_end(line);
        ended_ = true;
    }

    RecordedRank rank_;
    PatternReader pattern_;
    std::array<bool, kFields.size()> given_{};
    bool titled_ = false;
    bool ended_ = false;
};

bool blank(const std::string &line)
{
    return std::all_of(line.begin(), line.end(),
                       [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
}

std::string edge_text(const char *direction, const EdgeEnd &edge)
{
    return std::string(direction) + " peer " + index_text(edge.peer) + " key "
           + std::to_string(edge.key)
           + (edge.weight != 1 ? " weight " + std::to_string(edge.weight) : "") + "\n";
}

std::string text_of(const RecordedRank &rank)
{
    std::string text = title() + "\n";
    for (const Field &field : kFields) {
        const std::string value = field.text(rank);
        if (!value.empty() || !field.optional) {
            text += std::string(field.name) + " " + value + "\n";
        }
    }
    for (const EdgeEnd &edge : rank.neighbourhood.in) {
        text += edge_text("in", edge);
    }
    for (const EdgeEnd &edge : rank.neighbourhood.out) {
        text += edge_text("out", edge);
    }
    return text + to_text(rank.pattern) + kEnd + "\n";
}

} // namespace

void write_recorded(std::ostream &out, const RecordedRank &rank)
{
    const std::string text = text_of(rank);
    std::istringstream again(text);
    // A recording that the reader would refuse is not written; names with blanks, for example.
    const RecordedRank read = read_recorded(again, "recording");
    if (text_of(read) != text) {
        throw std::invalid_argument("recording: cannot be written in a form that can be read back");
    }
    out << text;
}

RecordedRank read_recorded(std::istream &in, const std::string &file)
{
    Reader reader;
    std::string line;
    int number = 0;
    const auto at = [&](const std::string &reason) {
        return std::invalid_argument(file + ":" + std::to_string(std::max(number, 1)) + ": "
                                     + reason);
    };
    while (std::getline(in, line)) {
        ++number;
        if (blank(line)) {
            continue;
        }
        try {
            reader.take(line);
        } catch (const std::invalid_argument &error) {
            throw at(error.what());
        }
    }
    if (!reader.titled()) {
        throw at("the line '" + title() + "' is missing");
    }
    if (!reader.ended()) {
        throw at("the line 'end' is missing: the file was cut off");
    }
    return reader.finish();
}

} // namespace nbrhood
