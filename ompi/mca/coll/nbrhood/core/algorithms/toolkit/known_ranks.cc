// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/known_ranks.h"

#include <algorithm>
#include <limits>

namespace nbrhood {
namespace {

std::int32_t pair_of(std::int16_t a, std::int16_t b)
{
    return static_cast<std::int32_t>(std::uint32_t{static_cast<std::uint16_t>(a)} << 16
                                     | static_cast<std::uint16_t>(b));
}

} // namespace

static_assert(kLevels == 6, "five domains are two words and a half");

void RankPlace::put(WordWriter &words) const
{
    words.put(leader);
    words.put(place.node);
    words.put(pair_of(place.domains[0], place.domains[1]));
    words.put(pair_of(place.domains[2], place.domains[3]));
    words.put(place.domains[4]);
}

RankPlace RankPlace::take(WordReader &words)
{
    RankPlace taken;
    taken.leader = words.take(0, std::numeric_limits<Rank>::max());
    taken.place.node = words.take();
    for (std::size_t level = 0; level + 1 < taken.place.domains.size(); level += 2) {
        const auto both = static_cast<std::uint32_t>(words.take());
        taken.place.domains[level] = static_cast<std::int16_t>(both >> 16);
        taken.place.domains[level + 1] = static_cast<std::int16_t>(both & 0xffff);
    }
    taken.place.domains.back() =
        static_cast<std::int16_t>(words.take(kNoDomain, std::numeric_limits<std::int16_t>::max()));
    if (*std::min_element(taken.place.domains.begin(), taken.place.domains.end()) < kNoDomain) {
        throw BadMessage("a place that cannot be");
    }
    return taken;
}

bool operator==(const RankPlace &a, const RankPlace &b)
{
    return a.leader == b.leader && a.place.node == b.place.node
           && a.place.domains == b.place.domains;
}

KnownRanks::KnownRanks(const Machine &machine, const std::vector<char> &takes_part)
{
    places_.reserve(takes_part.size());
    complete_ = true;
    for (Region region = 0; region < machine.regions(); ++region) {
        Rank leader = kNoRank;
        for (const Rank rank : machine.members(region)) {
            if (takes_part[static_cast<std::size_t>(rank)] != 0) {
                leader = leader == kNoRank ? rank : leader;
                add(rank, {machine.place(rank), leader});
            }
        }
    }
}

void KnownRanks::add(Rank rank, const RankPlace &rank_place)
{
    if (!(places_.emplace(rank, rank_place).first->second == rank_place)) {
        throw BadMessage("a rank in two places");
    }
}

std::vector<Rank> KnownRanks::members(Region region) const
{
    std::vector<Rank> members;
    for (const auto &[rank, rank_place] : places_) {
        if (rank_place.leader == region) {
            members.push_back(rank);
        }
    }
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<Rank> KnownRanks::leaders() const
{
    std::vector<Rank> leaders;
    for (const auto &entry : places_) {
        leaders.push_back(entry.second.leader);
    }
    std::sort(leaders.begin(), leaders.end());
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
    return leaders;
}

std::vector<Rank> KnownRanks::ranks() const
{
    std::vector<Rank> ranks;
    for (const auto &entry : places_) {
        ranks.push_back(entry.first);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

} // namespace nbrhood
