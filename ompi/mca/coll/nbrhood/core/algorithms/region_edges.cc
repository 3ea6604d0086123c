#include "algorithms/region_edges.h"

#include <algorithm>
#include <set>

namespace nbrhood {

std::vector<std::int32_t> RegionEdges::encode(const Neighbourhood &neighbourhood)
{
    const auto both = {&neighbourhood.in, &neighbourhood.out};
    const bool weighted = std::any_of(both.begin(), both.end(), [](const auto *ends) {
        return std::any_of(ends->begin(), ends->end(),
                           [](const EdgeEnd &end) { return end.weight != 1; });
    });
    std::vector<std::int32_t> words{static_cast<std::int32_t>(neighbourhood.in.size()),
                                    static_cast<std::int32_t>(neighbourhood.out.size()),
                                    weighted ? 1 : 0};
    for (const auto *ends : both) {
        for (const EdgeEnd &end : *ends) {
            words.push_back(end.peer);
            words.push_back(end.key);
            if (weighted) {
                words.push_back(end.weight);
            }
        }
    }
    return words;
}

void RegionEdges::add_member(Rank member, const std::vector<std::int32_t> &words)
{
    members_.push_back(member);
    const auto in_degree = static_cast<std::uint32_t>(words.at(0));
    const auto out_degree = static_cast<std::uint32_t>(words.at(1));
    const bool weighted = words.at(2) != 0;
    std::size_t at = 3;
    bool has[2] = {false, false};
    for (std::uint32_t i = 0; i < in_degree + out_degree; ++i) {
        const Direction direction = i < in_degree ? incoming : outgoing;
        const std::uint32_t slot = i < in_degree ? i : i - in_degree;
        const Rank peer = words.at(at++);
        const std::int32_t key = words.at(at++);
        const std::int32_t weight = weighted ? words.at(at++) : 1;
        if (peer == kNoRank || peer == member) {
            continue;
        }
        has[direction] = true;
        const Crossing crossing{member, peer, key, slot, weight};
        const Region other = machine_->region_of(peer);
        if (other != region_) {
            crossings_[direction][other].push_back(crossing);
        } else if (direction == outgoing) {
            local_edges_.push_back(crossing);
        } else {
            local_slots_[{peer, member, key}] = slot;
        }
    }
    both_ways_[member] = has[incoming] && has[outgoing];
}

void RegionEdges::join_components(Forest &forest) const
{
    for (const Crossing &edge : local_edges_) {
        forest.unite(edge.inside, edge.outside);
    }
    // Out-edges are enough: the region at the other end reports its own.
    for (const auto &[other, blocks] : crossings_[outgoing]) {
        for (const Crossing &crossing : blocks) {
            forest.unite(crossing.inside, crossing.outside);
        }
    }
}

std::vector<Region> RegionEdges::neighbour_regions() const
{
    std::set<Region> regions;
    for (const auto &by_region : crossings_) {
        for (const auto &entry : by_region) {
            regions.insert(entry.first);
        }
    }
    return {regions.begin(), regions.end()};
}

} // namespace nbrhood
