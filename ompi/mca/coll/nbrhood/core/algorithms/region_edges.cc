#include "algorithms/region_edges.h"

#include <algorithm>
#include <limits>
#include <set>

namespace nbrhood {

std::vector<std::int32_t> RegionEdges::encode(const Neighbourhood &neighbourhood)
{
    const auto both = {&neighbourhood.in, &neighbourhood.out};
    const bool weighted = std::any_of(both.begin(), both.end(), [](const auto *ends) {
        return std::any_of(ends->begin(), ends->end(),
                           [](const EdgeEnd &end) { return end.weight != 1; });
    });
    WordWriter words;
    words.put(static_cast<std::int32_t>(neighbourhood.in.size()));
    words.put(static_cast<std::int32_t>(neighbourhood.out.size()));
    words.put(weighted ? 1 : 0);
    for (const auto *ends : both) {
        for (const EdgeEnd &end : *ends) {
            words.put(end.peer);
            words.put(end.key);
            if (weighted) {
                words.put(end.weight);
            }
        }
    }
    return words.take();
}

void RegionEdges::add_member(Rank member, WordReader words)
{
    members_.push_back(member);
    const std::size_t degrees[2] = {words.take_count(), words.take_count()}; // in, out
    const bool weighted = words.take_flag();
    bool has[2] = {false, false};
    for (const Direction direction : {incoming, outgoing}) {
        const std::size_t degree = degrees[direction == incoming ? 0 : 1];
        for (std::uint32_t slot = 0; slot < degree; ++slot) {
            const Rank peer = words.take(kNoRank, machine_->ranks() - 1);
            const std::int32_t key = words.take(0, std::numeric_limits<std::int32_t>::max());
            const std::int32_t weight = weighted ? words.take(0, kGreatestWeight) : 1;
            if (peer == member) {
                loops_.push_back(member);
            }
            if (peer == kNoRank || peer == member) {
                continue;
            }
            const Region other = machine_->region_of(peer);
            if (!takes_part(peer, other)) {
                throw BadWords("an edge to a rank without edges");
            }
            has[direction] = true;
            const Crossing crossing{member, peer, key, slot, weight};
            if (other != region_) {
                crossings_[direction][other].push_back(crossing);
            } else if (direction == outgoing) {
                local_edges_.push_back(crossing);
            } else {
                local_slots_[{peer, member, key}] = slot;
            }
        }
    }
    words.expect_end();
    both_directions_[member] = has[incoming] && has[outgoing];
}

void RegionEdges::check_local() const
{
    const auto has_slot = [&](const Crossing &edge) {
        return local_slots_.count({edge.inside, edge.outside, edge.key}) != 0;
    };
    if (local_edges_.size() != local_slots_.size()
        || !std::all_of(local_edges_.begin(), local_edges_.end(), has_slot)) {
        throw BadWords("the two halves of an edge within a region do not match");
    }
}

void RegionEdges::join_roles(Roles &roles) const
{
    for (const Rank member : loops_) {
        roles.add_edge(member, member);
    }
    for (const Crossing &edge : local_edges_) {
        roles.add_edge(edge.inside, edge.outside);
    }
    // Out-edges are enough: the region at the other end reports its own.
    for (const auto &[other, blocks] : crossings_[outgoing]) {
        for (const Crossing &crossing : blocks) {
            roles.add_edge(crossing.inside, crossing.outside);
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
