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

    // As words, and back; take throws BadMessage for words that cannot be a place.
    static constexpr std::size_t kWords = 5;
    void put(WordWriter &words) const;
    static RankPlace take(WordReader &words);
};

bool operator==(const RankPlace &a, const RankPlace &b);

// The participants that a rank knows, and where they run. Regions are named by their leaders. A
// rank knows at least the ranks of its own region and its neighbours; other ranks tell it of their
// neighbours.
class KnownRanks {
public:
    KnownRanks() = default;
    // With the places of all ranks. takes_part: by rank.
    KnownRanks(const Machine &machine, const std::vector<char> &takes_part);

    // Whether all participants are known.
    bool complete() const { return complete_; }
    void set_complete() { complete_ = true; }

    // Throws BadMessage if the rank is already known with another place.
    void add(Rank rank, const RankPlace &rank_place);

    bool knows(Rank rank) const { return places_.count(rank) != 0; }
    // These throw std::out_of_range for unknown ranks.
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

    // The known ranks of a region, and the leaders of all known regions; ascending.
    std::vector<Rank> members(Region region) const;
    std::vector<Rank> leaders() const;
    // All known ranks, ascending.
    std::vector<Rank> ranks() const;

private:
    bool complete_ = false;
    std::unordered_map<Rank, RankPlace> places_;
};

} // namespace nbrhood
