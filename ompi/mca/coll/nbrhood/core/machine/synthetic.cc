// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine/synthetic.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nbrhood {
namespace {

// The levels a description may name: those of a machine, and cores.
constexpr int kNode = static_cast<int>(Level::node);
constexpr int kCore = kLevels;
constexpr const char *kForm = "levels are written like \"node:4 socket:2 core:8\"";

// More than any machine has; products stay within a Rank.
constexpr Rank kMostSlots = 1 << 24;
// Domains of one level on a node.
constexpr Rank kMostDomains = std::numeric_limits<std::int16_t>::max();

struct Row {
    int name;   // a Level, or kCore
    Rank count; // objects of this level in one object of the level above
};

[[noreturn]] void refuse(std::size_t at, const std::string &reason)
{
    throw std::invalid_argument("character " + std::to_string(at + 1) + ": " + reason);
}

const char *name_of(int level)
{
    return level == kCore ? "core" : level_name(level);
}

std::string in_quotes(std::string_view text)
{
    return '"' + std::string(text) + '"';
}

// The level that a word such as "socket:2" describes; the word begins at character `at`.
Row read_row(std::string_view word, std::size_t at)
{
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
        refuse(at, in_quotes(word) + " has no number; " + kForm);
    }
    std::string_view text = word.substr(0, colon);
    if (text == "package") { // hwloc's word for it
        text = level_name(static_cast<int>(Level::socket));
    }
    int name = 0;
    while (name <= kCore && text != name_of(name)) {
        ++name;
    }
    if (name > kCore) {
        refuse(at, "there is no level " + in_quotes(text)
                       + "; levels are node, socket, numa, l3, gpu, die and core");
    }
    Rank count = 0;
    const char *const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + colon + 1, end, count);
    if (error != std::errc() || rest != end || count < 1 || count > kMostSlots) {
        refuse(at + colon + 1, in_quotes(word.substr(colon + 1)) + " is not a number from 1 to "
                                   + std::to_string(kMostSlots));
    }
    return Row{name, count};
}

// Each level appears once, node outermost, core innermost.
void check_order(const std::vector<Row> &before, int name, std::size_t at)
{
    if (before.empty() != (name == kNode)) {
        refuse(at, before.empty() ? "the first level is node, the nodes of the machine"
                                  : "node is the first level");
    }
    if (!before.empty() && before.back().name == kCore) {
        refuse(at, "core is the last level");
    }
    for (const Row &row : before) {
        if (row.name == name) {
            refuse(at, "the level " + in_quotes(name_of(name)) + " stands there twice");
        }
    }
}

} // namespace

SyntheticMachine::SyntheticMachine(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t";
    std::vector<Row> rows;
    std::size_t at = text.find_first_not_of(kBlanks);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        const Row row = read_row(text.substr(at, end - at), at);
        check_order(rows, row.name, at);
        if (slots_ > kMostSlots / row.count) {
            refuse(at, "the machine would hold more than " + std::to_string(kMostSlots) + " ranks");
        }
        slots_ *= row.count;
        rows.push_back(row);
        if (row.name != kCore && slots_ / rows[0].count > kMostDomains) {
            refuse(at, "a node would have more than " + std::to_string(kMostDomains) + " of these");
        }
        at = text.find_first_not_of(kBlanks, end);
    }
    if (rows.empty()) {
        refuse(0, std::string("the description is empty; ") + kForm);
    }
    // From the inside out: the slots of one object of each level.
    Rank held = 1;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        if (row->name != kCore) {
            slots_of_[static_cast<std::size_t>(row->name)] = held;
        }
        held *= row->count;
    }
}

Place SyntheticMachine::place(Rank slot) const
{
    const Rank slots_of_node = slots_of_[kNode];
    Place place;
    place.node = slot / slots_of_node;
    for (std::size_t level = 1; level < slots_of_.size(); ++level) {
        if (slots_of_[level] > 0) {
            place.domains[level - 1] =
                static_cast<std::int16_t>(slot % slots_of_node / slots_of_[level] + 1);
        }
    }
    return place;
}

Machine SyntheticMachine::machine(Rank ranks, Level level) const
{
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
        places.push_back(place(rank));
    }
    return Machine(std::move(places), level);
}

} // namespace nbrhood
