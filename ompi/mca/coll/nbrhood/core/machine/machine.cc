#include "machine/machine.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace nbrhood {

namespace {

constexpr std::array<const char *, kLevels> kLevelNames{"node", "socket", "numa", "gpu", "die"};

std::vector<Place> on_nodes(const std::vector<std::int32_t> &node_of)
{
    std::vector<Place> places(node_of.size());
    for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
        places[rank].node = node_of[rank];
    }
    return places;
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

std::optional<Level> Machine::nearest_common_level(Rank a, Rank b) const
{
    const Place &one = place(a);
    const Place &other = place(b);
    if (one.node != other.node) {
        return std::nullopt;
    }
    int level = kLevels - 1;
    while (level > 0) {
        const auto at = static_cast<std::size_t>(level) - 1;
        if (one.domains[at] == other.domains[at] && one.domains[at] > 0) {
            break;
        }
        --level;
    }
    return static_cast<Level>(level);
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
