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
struct Whereabouts {
    Place place;
    Rank leader = kNoRank;

    // As words, and back; take throws BadWords for what nobody's whereabouts can be.
    static constexpr std::size_t kWords = 5;
    void put(WordWriter &words) const;
    static Whereabouts take(WordReader &words);
};

bool operator==(const Whereabouts &a, const Whereabouts &b);

// The ranks of which a rank knows that they take part, and where they run. Regions are named by
// their leaders. At least those of the rank's own region are here, and its neighbours; ranks learn
// of others from those whose neighbours they are.
class Surroundings {
public:
    Surroundings() = default;
    // For ranks that know the places of all. takes_part: by rank.
    Surroundings(const Machine &machine, const std::vector<char> &takes_part);

    // Whether all that take part are here.
    bool complete() const { return complete_; }
    void set_complete() { complete_ = true; }

    // Throws BadWords where something else is known of the rank.
    void add(Rank rank, const Whereabouts &whereabouts);

    bool knows(Rank rank) const { return whereabouts_.count(rank) != 0; }
    // For ranks that are known; else these throw std::out_of_range.
    const Whereabouts &of(Rank rank) const { return whereabouts_.at(rank); }
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
    std::unordered_map<Rank, Whereabouts> whereabouts_;
};

} // namespace nbrhood
