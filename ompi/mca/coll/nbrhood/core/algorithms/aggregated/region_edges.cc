// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/region_edges.h"

#include <algorithm>
#include <limits>
#include <set>

namespace nbrhood {

RegionEdges::RegionEdges(const KnownRanks &known, Region region, Rank ranks)
    : region_(region), ranks_(ranks)
{
    for (const Rank member : known.members(region)) {
        known_.add(member, known.of(member));
    }
}

std::vector<std::int32_t> RegionEdges::encode(const Neighbourhood &neighbourhood,
                                              const KnownRanks &known)
{
    const auto both = {&neighbourhood.in, &neighbourhood.out};
    bool weighted = false;
    std::set<Rank> outside;
    for (const auto *ends : both) {
        for (const EdgeEnd &end : *ends) {
            weighted = weighted || end.weight != 1;
            if (end.peer != kNoRank && !known.local(neighbourhood.rank, end.peer)) {
                outside.insert(end.peer);
            }
        }
    }
    WordWriter words;
    words.put(static_cast<std::int32_t>(outside.size()));
    for (const Rank peer : outside) {
        words.put(peer);
        known.of(peer).put(words);
    }
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

void RegionEdges::add_neighbours(WordReader &words)
{
    for (std::size_t left = words.take_count(1 + RankPlace::kWords); left > 0; --left) {
        const Rank peer = words.take(0, ranks_ - 1);
        const RankPlace rank_place = RankPlace::take(words);
        if (rank_place.leader == region_ || rank_place.leader >= ranks_) {
            throw BadMessage("a neighbour outside the region that is inside");
        }
        known_.add(peer, rank_place);
    }
}

void RegionEdges::add_member(Rank member, WordReader words)
{
    members_.push_back(member);
    add_neighbours(words);
    const std::size_t degrees[2] = {words.take_count(), words.take_count()}; // in, out
    const bool weighted = words.take_flag();
    bool has[2] = {false, false};
    for (const Direction direction : {incoming, outgoing}) {
        const std::size_t degree = degrees[direction == incoming ? 0 : 1];
        for (std::uint32_t slot = 0; slot < degree; ++slot) {
            const Rank peer = words.take(kNoRank, ranks_ - 1);
            const std::int32_t key = words.take(0, std::numeric_limits<std::int32_t>::max());
            const std::int32_t weight = weighted ? words.take(0, kGreatestWeight) : 1;
            if (peer == member) {
                loops_.push_back(member);
            }
            if (peer == kNoRank || peer == member) {
                continue;
            }
            if (!known_.knows(peer)) {
                throw BadMessage("an edge to a rank that takes no part");
            }
            const Region other = known_.region_of(peer);
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
        throw BadMessage("the two halves of an edge within a region do not match");
    }
}

Link RegionEdges::link_to(Region other) const
{
    const auto found = crossings_[outgoing].find(other);
    const Crossing &edge = found != crossings_[outgoing].end()
                               ? found->second.front()
                               : crossings_[incoming].at(other).front();
    return known_.link(edge.inside, edge.outside);
}

Forest RegionEdges::as_one_component() const
{
    Forest one;
    for (const Rank member : members_) {
        one.unite(0, member);
    }
    return one;
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
