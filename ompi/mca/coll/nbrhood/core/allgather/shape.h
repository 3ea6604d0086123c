// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The facts on which an allgather's pattern depends: where the ranks of a communicator run.
#pragma once

#include <vector>

#include "allgather/positions.h"
#include "machine/machine.h"

namespace nbrhood {

// How far locality_bruck, the algorithm that can be nested, follows the machine's levels.
enum class Nesting : std::uint8_t {
    regions, // the regions of coll_nbrhood_region
    levels   // nodes, then sockets, NUMA domains and so on, if there are several
};

// Whether the first rank of a region exchanges with other regions, in locality_bruck, or idles, as
// in the paper.
enum class FirstRank : std::uint8_t { exchanges, idles };

// The ranks of a communicator in locality order, which puts the ranks of a region next to each
// other. A rank's position is its place in this order. A message carries ranges of positions, since
// lists of single blocks would be long for thousands of ranks.
struct AllgatherShape {
    AllgatherShape(const Machine &machine, Nesting nesting, bool shares_cores,
                   FirstRank first_rank = FirstRank::exchanges);

    std::vector<Rank> rank_at;     // by position
    std::vector<Rank> position_of; // by rank
    // The domains of each level, from the outside in, without levels that divide nothing. Each
    // level lists the first positions of its domains in ascending order, then the number of ranks.
    std::vector<std::vector<Rank>> levels;
    bool shares_cores = false; // ranks outnumber the cores of some node
    FirstRank first_rank = FirstRank::exchanges;

    Rank ranks() const { return static_cast<Rank>(rank_at.size()); }
    bool in_rank_order() const { return in_rank_order_; }
    // The regions as ranges of positions: the domains of the outermost level that divides the
    // ranks, or single ranks.
    const std::vector<PositionRange> &regions() const { return regions_; }

private:
    void add_level(const Machine &machine);
    void find_regions(const Machine &machine);

    std::vector<PositionRange> regions_;
    bool in_rank_order_ = true;
};

} // namespace nbrhood
