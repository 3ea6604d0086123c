#include "machine/machine.h"

#include <map>
#include <set>
#include <unordered_map>

namespace nbrhood {

Machine::Machine(const std::vector<std::int32_t> &region_of)
{
    std::unordered_map<std::int32_t, Region> number;
    region_of_.reserve(region_of.size());
    for (std::size_t rank = 0; rank < region_of.size(); ++rank) {
        const auto next = static_cast<Region>(members_.size());
        const Region region = number.emplace(region_of[rank], next).first->second;
        if (region == next) {
            members_.emplace_back();
        }
        region_of_.push_back(region);
        members_[static_cast<std::size_t>(region)].push_back(static_cast<Rank>(rank));
    }
}

Division divide(const std::vector<Place> &places)
{
    Division division;
    std::set<std::int32_t> whole_nodes;
    for (const Place &place : places) {
        if (place.domain == kNoDomain) {
            whole_nodes.insert(place.node);
        }
    }
    std::map<std::pair<std::int32_t, std::int32_t>, Region> numbers;
    std::vector<std::int32_t> region_of;
    for (const Place &place : places) {
        const bool whole = whole_nodes.count(place.node) != 0;
        const auto next = static_cast<Region>(numbers.size());
        const std::pair region{place.node, whole ? kNoDomain : place.domain};
        region_of.push_back(numbers.emplace(region, next).first->second);
        division.whole.push_back(whole ? 1 : 0);
    }
    division.machine = Machine(region_of);
    division.whole_nodes = static_cast<int>(whole_nodes.size());
    return division;
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
