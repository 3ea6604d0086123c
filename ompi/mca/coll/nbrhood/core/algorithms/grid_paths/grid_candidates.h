// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The grids that the edges of a rank allow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/grid_paths/grid_shape.h"
#include "algorithms/toolkit/known_ranks.h"
#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// The neighbours of a rank and itself, ascending. Nothing where the graph is no grid for sure: the
// out- and the in-neighbours differ, one is there twice, or the rank is its own.
std::vector<Rank> symmetric_neighbourhood(const Neighbourhood &neighbourhood);

// The grids that the edges of one rank allow, and, merged, those of several. A rank in the middle
// of a grid sees neither its borders nor whether there are any.
class GridCandidates {
public:
    // Any grid: what a rank allows that says nothing.
    GridCandidates() = default;
    // Those of one rank of so many, whose neighbours must all be known. Any where all ranks are its
    // neighbours. At most kMost: then some are missing.
    GridCandidates(const Neighbourhood &neighbourhood, const KnownRanks &known_ranks, Rank ranks);
    // As words about so many ranks, see put(). Throws BadMessage for what cannot be.
    GridCandidates(WordReader &words, Rank ranks);

    // Keeps what others allow, too, and adds up the edges that leave nodes.
    void merge(const GridCandidates &other);

    // Once those of all ranks are merged: the grid that the graph is, where blocks that travel
    // along the dimensions need fewer messages than there are edges; of several the one with the
    // fewest. Nothing where there is none, or all ranks are neighbours. Blocks travel first along
    // the dimension of whose edges most leave the node: they are few then.
    std::optional<Grid> best() const;

    void put(WordWriter &words) const;

private:
    static constexpr std::size_t kMost = 64;

    // From `least` to `most`; none if that is less.
    struct Radii {
        int least = 1;
        int most = 0;
    };
    struct Axis {
        int extent = 1;
        Radii open; // which its radius may be if it is not periodic
        Radii periodic;
        std::int64_t crossings = 0; // edges along it that leave a node

        bool possible() const { return open.least <= open.most || periodic.least <= periodic.most; }
    };
    using Candidate = std::vector<Axis>; // by dimension

    static Axis axis_of(int extent, int at, const std::vector<Rank> &reached);
    static bool merge(Candidate &own, const Candidate &other);
    static Grid grid_of(const Candidate &candidate);
    void find(const std::vector<Rank> &seen, Rank self, Rank ranks, Candidate &inner);

    bool any_ = true;
    std::vector<Candidate> candidates_; // unless it may be any
};

} // namespace nbrhood
