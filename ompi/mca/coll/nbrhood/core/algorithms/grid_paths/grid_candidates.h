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

// The neighbours of a rank and the rank itself, ascending. Nothing if the graph cannot be a grid:
// out- and in-neighbours differ, a neighbour appears twice, or the rank is its own neighbour.
std::vector<Rank> symmetric_neighbourhood(const Neighbourhood &neighbourhood);

// The grids that the edges of one rank allow or, after merge(), those of several ranks. A rank in
// the middle of a grid does not see whether the grid has borders.
class GridCandidates {
public:
    // All grids: for a rank that restricts nothing.
    GridCandidates() = default;
    // The grids that one of `ranks` ranks allows; all its neighbours must be known. All grids if
    // all ranks are its neighbours. At most kMost, even if there are more.
    GridCandidates(const Neighbourhood &neighbourhood, const KnownRanks &known_ranks, Rank ranks);
    // From the words of put(). Throws BadMessage for impossible words.
    GridCandidates(WordReader &words, Rank ranks);

    // Keeps the grids that others also allow, and adds up the edges that leave nodes.
    void merge(const GridCandidates &other);

    // After merging all ranks: the grid of the graph, if blocks that travel along its dimensions
    // need fewer messages than there are edges; of several grids the one with the fewest messages.
    // Nothing if there is no such grid, or all ranks are neighbours. Blocks travel first along the
    // dimension with the greatest part of edges that leave the node, because few blocks travel
    // then.
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
        Radii open; // possible radii if the dimension is not periodic
        Radii periodic;
        std::int64_t crossings = 0; // edges along the dimension that leave a node

        bool possible() const { return open.least <= open.most || periodic.least <= periodic.most; }
    };
    using Candidate = std::vector<Axis>; // by dimension

    static Axis axis_of(int extent, int at, const std::vector<Rank> &reached);
    static bool merge(Candidate &own, const Candidate &other);
    static Grid grid_of(const Candidate &candidate);
    void find(const std::vector<Rank> &seen, Rank self, Rank ranks, Candidate &inner);

    bool any_ = true;                   // any grid is allowed
    std::vector<Candidate> candidates_; // valid unless any_ is set
};

} // namespace nbrhood
