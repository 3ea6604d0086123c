#include "machine/machine.h"

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

Machine make_machine(const std::vector<int> &node_sizes, Placement placement)
{
    std::vector<std::int32_t> region_of;
    std::vector<int> room = node_sizes;
    bool placed = true;
    while (placed) {
        placed = false;
        for (std::size_t node = 0; node < room.size(); ++node) {
            const int now = placement == Placement::by_slot ? room[node] : (room[node] > 0 ? 1 : 0);
            region_of.insert(region_of.end(), static_cast<std::size_t>(now),
                             static_cast<std::int32_t>(node));
            room[node] -= now;
            placed = placed || now > 0;
        }
    }
    return Machine(region_of);
}

} // namespace nbrhood
