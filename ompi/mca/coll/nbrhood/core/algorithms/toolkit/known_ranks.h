// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Places of other ranks that a rank knows while it builds a pattern with them.
#pragma once

#include <unordered_map>
#include <vector>

#include "machine/machine.h"
#include "pattern/message_words.h"

namespace nbrhood {

// Place of a rank, and the lowest rank of its region that takes part in building.
struct RankPlace {
    Place place;
    Rank leader = kNoRank;

    // As words, and back; take throws BadMessage for what no rank's place can be.
    static constexpr std::size_t kWords = 5;
    void put(WordWriter &words) const;
    static RankPlace take(WordReader &words);
};

bool operator==(const RankPlace &a, const RankPlace &b);

// The ranks that a rank knows to take part, and where they run. Regions are named by their leaders.
// A rank knows at least the ranks of its own region and its neighbours; it learns of others from
// the ranks whose neighbours they are.
class KnownRanks {
public:
    KnownRanks() = default;
    // For ranks that know the places of all. takes_part: by rank.
    KnownRanks(const Machine &machine, const std::vector<char> &takes_part);

    // Whether all that take part are here.
    bool complete() const { return complete_; }
    void set_complete() { complete_ = true; }

    // Throws BadMessage where something else is known of the rank.
    void add(Rank rank, const RankPlace &rank_place);

    bool knows(Rank rank) const { return places_.count(rank) != 0; }
    // For ranks that are known; else these throw std::out_of_range.
    const RankPlace &of(Rank rank) const { return places_.at(rank); }
    Region region_of(Rank rank) const { return of(rank).leader; }
    bool local(Rank a, Rank b) const { return region_of(a) == region_of(b); }
    Link link(Rank a, Rank b) const { return link_between(of(a).place, of(b).place); }
    Locality locality(Rank a, Rank b) const
    {
        return local(a, b)                   ? Locality::same_region
               : link(a, b) == Link::network ? Locality::elsewhere
                                             : Locality::same_node;
    }

    // The ranks of a region that are known, and the leaders of all regions that are; ascending.
    std::vector<Rank> members(Region region) const;
    std::vector<Rank> leaders() const;
    // All that are known, ascending.
    std::vector<Rank> ranks() const;

private:
    bool complete_ = false;
    std::unordered_map<Rank, RankPlace> places_;
};

} // namespace nbrhood
