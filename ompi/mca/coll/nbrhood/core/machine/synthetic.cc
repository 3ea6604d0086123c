#include "machine/synthetic.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

namespace nbrhood {
namespace {

// The levels a description may name; the first three are the kinds of regions.
enum Name { node, socket, numa, core, names };
constexpr const char *kNames[names] = {"node", "socket", "numa", "core"};
constexpr const char *kForm = "levels are written like \"node:4 socket:2 core:8\"";

// No machine has more; keeps products within a Rank.
constexpr Rank kMostSlots = 1 << 24;

struct Level {
    Name name;
    Rank count; // of such objects in the one above
};

[[noreturn]] void refuse(std::size_t at, const std::string &reason)
{
    throw std::invalid_argument("character " + std::to_string(at + 1) + ": " + reason);
}

std::string quoted(std::string_view text)
{
    return '"' + std::string(text) + '"';
}

// The level that a word such as "socket:2" describes; the word begins at character `at`.
Level read_level(std::string_view word, std::size_t at)
{
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
        refuse(at, quoted(word) + " has no number; " + kForm);
    }
    std::string_view text = word.substr(0, colon);
    if (text == "package") { // hwloc's word for it
        text = kNames[socket];
    }
    const auto *const name = std::find(kNames, kNames + names, text);
    if (name == kNames + names) {
        refuse(at,
               "there is no level " + quoted(text) + "; levels are node, socket, numa and core");
    }
    Rank count = 0;
    const char *const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + colon + 1, end, count);
    if (error != std::errc() || rest != end || count < 1 || count > kMostSlots) {
        refuse(at + colon + 1, quoted(word.substr(colon + 1)) + " is not a number from 1 to "
                                   + std::to_string(kMostSlots));
    }
    return Level{static_cast<Name>(name - kNames), count};
}

// Levels stand once each, node outside, core inside.
void check_order(const std::vector<Level> &before, Name name, std::size_t at)
{
    if (before.empty() != (name == node)) {
        refuse(at, before.empty() ? "the first level is node, the nodes of the machine"
                                  : "node is the first level");
    }
    if (!before.empty() && before.back().name == core) {
        refuse(at, "core is the last level");
    }
    for (const Level &level : before) {
        if (level.name == name) {
            refuse(at, "the level " + quoted(kNames[name]) + " stands there twice");
        }
    }
}

} // namespace

const char *region_kind_name(int kind)
{
    return kind >= 0 && kind < kRegionKinds ? kNames[kind] : nullptr;
}

SyntheticMachine::SyntheticMachine(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t";
    std::vector<Level> levels;
    std::size_t at = text.find_first_not_of(kBlanks);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        const Level level = read_level(text.substr(at, end - at), at);
        check_order(levels, level.name, at);
        if (slots_ > kMostSlots / level.count) {
            refuse(at, "the machine would hold more than " + std::to_string(kMostSlots) + " ranks");
        }
        slots_ *= level.count;
        levels.push_back(level);
        at = text.find_first_not_of(kBlanks, end);
    }
    if (levels.empty()) {
        refuse(0, std::string("the description is empty; ") + kForm);
    }
    // From the inside out: what one object of each level holds.
    slots_of_node_ = slots_ / levels[0].count;
    slots_of_domain_.assign(kRegionKinds, slots_of_node_);
    Rank held = 1;
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        if (level->name == socket || level->name == numa) {
            slots_of_domain_[level->name] = held;
        }
        held *= level->count;
    }
}

Place SyntheticMachine::place(Rank slot, RegionKind kind) const
{
    const Rank held = slots_of_domain_[static_cast<std::size_t>(kind)];
    return Place{slot / slots_of_node_, slot % slots_of_node_ / held};
}

Machine SyntheticMachine::machine(Rank ranks, RegionKind kind) const
{
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
        places.push_back(place(rank, kind));
    }
    return divide(places).machine;
}

} // namespace nbrhood
