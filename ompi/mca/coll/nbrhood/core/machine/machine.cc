// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine/machine.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace nbrhood {

namespace {

constexpr std::array<const char *, kLevels> kLevelNames{"node", "socket", "numa",
                                                        "l3",   "gpu",    "die"};
constexpr std::array<const char *, kLinks> kLinkNames{"die_pair", "socket", "node", "network"};

std::vector<Place> on_nodes(const std::vector<std::int32_t> &node_of)
{
    std::vector<Place> places(node_of.size());
    for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
        places[rank].node = node_of[rank];
    }
    return places;
}

// The link between the farthest ranks of one domain of a level.
Link link_within(Level level)
{
    constexpr std::array<Link, kLevels> kWithin{Link::node,   Link::socket,   Link::socket,
                                                Link::socket, Link::die_pair, Link::die_pair};
    return kWithin[static_cast<std::size_t>(level)];
}

// The nodes with a rank that has no domain on a level.
std::unordered_set<std::int32_t> find_whole(const std::vector<Place> &places, Level level)
{
    std::unordered_set<std::int32_t> whole;
    for (const Place &place : places) {
        if (level != Level::node && place.domain(level) == kNoDomain) {
            whole.insert(place.node);
        }
    }
    return whole;
}

} // namespace

const char *level_name(int level)
{
    return level >= 0 && level < kLevels ? kLevelNames[static_cast<std::size_t>(level)] : nullptr;
}

const char *link_name(int link)
{
    return link >= 0 && link < kLinks ? kLinkNames[static_cast<std::size_t>(link)] : nullptr;
}

std::optional<Level> nearest_common_level(const Place &a, const Place &b)
{
    if (a.node != b.node) {
        return std::nullopt;
    }
    std::size_t level = kLevels - 1;
    while (level > 0
           && (a.domains[level - 1] != b.domains[level - 1] || a.domains[level - 1] < 1)) {
        --level;
    }
    return static_cast<Level>(level);
}

Link link_between(const Place &a, const Place &b)
{
    const std::optional<Level> level = nearest_common_level(a, b);
    return level ? link_within(*level) : Link::network;
}

Machine::Machine(std::vector<Place> places, Level level)
    : Machine(std::make_shared<const std::vector<Place>>(std::move(places)), level)
{}

Machine::Machine(const std::vector<std::int32_t> &node_of) : Machine(on_nodes(node_of)) {}

Machine::Machine(Places places, Level level)
    : places_(std::move(places)), level_(level), whole_(find_whole(*places_, level))
{
    std::unordered_map<std::uint64_t, Region> number; // by node and domain
    region_of_.reserve(places_->size());
    for (const Place &place : *places_) {
        const bool one_domain = level == Level::node || whole_.count(place.node) != 0;
        const std::int16_t domain = one_domain ? kNoSuchLevel : place.domain(level);
        const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(place.node)} << 16
                                  | static_cast<std::uint16_t>(domain);
        const auto next = static_cast<Region>(members_.size());
        const Region region = number.emplace(key, next).first->second;
        if (region == next) {
            members_.emplace_back();
        }
        members_[static_cast<std::size_t>(region)].push_back(static_cast<Rank>(region_of_.size()));
        region_of_.push_back(region);
    }
}

Link Machine::link_within_regions() const
{
    const bool whole = std::any_of(places_->begin(), places_->end(), [&](const Place &place) {
        return level_ != Level::node && place.domain(level_) < 1;
    });
    return whole ? Link::node : link_within(level_);
}

int Machine::regions_of_node() const
{
    std::unordered_map<std::int32_t, int> regions;
    int most = 0;
    for (const std::vector<Rank> &ranks : members_) {
        most = std::max(most, ++regions[place(ranks.front()).node]);
    }
    return most;
}

std::vector<Rank> Machine::in_locality_order() const
{
    std::vector<std::array<Region, kLevels>> keys(region_of_.size());
    for (int l = 0; l < kLevels; ++l) {
        const auto level = static_cast<Level>(l);
        const Machine view = at(level);
        for (Rank rank = 0; rank < ranks(); ++rank) {
            keys[static_cast<std::size_t>(rank)][static_cast<std::size_t>(l)] =
                level == Level::node       ? view.region_of(rank)
                : view.in_whole_node(rank) ? kNoSuchLevel
                                           : place(rank).domain(level);
        }
    }
    std::vector<Rank> order(region_of_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Rank a, Rank b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    return order;
}

std::vector<std::int32_t> deal_out(const std::vector<int> &node_sizes, Placement placement)
{
    std::vector<std::int32_t> node_of;
    std::vector<int> room = node_sizes;
    bool placed = true;
    while (placed) {
        placed = false;
        for (std::size_t node = 0; node < room.size(); ++node) {
            const int now = placement == Placement::by_slot ? room[node] : (room[node] > 0 ? 1 : 0);
            node_of.insert(node_of.end(), static_cast<std::size_t>(now),
                           static_cast<std::int32_t>(node));
            room[node] -= now;
            placed = placed || now > 0;
        }
    }
    return node_of;
}

Machine make_machine(const std::vector<int> &node_sizes, Placement placement)
{
    return Machine(deal_out(node_sizes, placement));
}

} // namespace nbrhood
