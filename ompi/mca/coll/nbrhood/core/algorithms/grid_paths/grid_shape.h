// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Grids that a graph may be: dimensions, edges, and the messages of blocks that travel along the
// dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/grid_paths/grid_dimension.h"
#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// A grid whose ranks are numbered as by MPI_Cart_create: the coordinate in the last dimension
// varies fastest. Edges join each rank with all ranks whose coordinates are in its neighbourhood in
// every dimension (a Moore neighbourhood).
struct Grid {
    // Blocks travel in one phase for each dimension; two of the eight phases are for direct
    // messages (kLocal, kLarge).
    static constexpr int kMostDimensions = 6;

    std::vector<GridDimension> dimensions;
    std::vector<int> order; // the dimensions in the order in which blocks travel along them

    std::vector<int> coordinates(Rank rank) const;
    Rank rank_at(const std::vector<int> &coordinates) const;
    // A rank's neighbours and the rank itself, ascending.
    std::vector<Rank> neighbourhood(Rank rank) const;

    std::int64_t edges() const;
    // The messages that all ranks send, and those that the rank in the middle sends and receives.
    std::int64_t messages() const;
    std::int64_t messages_in_the_middle() const;
    // The length of the longest chain of dependent messages.
    std::int64_t stages() const;

    // As words, and back; take throws BadMessage for words that are not a grid of this many ranks.
    void put(WordWriter &words) const;
    static Grid take(WordReader &words, Rank ranks);
};

// All grids, up to the order of their dimensions, with these numbers of ranks and edges and at most
// `busiest` neighbours of a rank, which some rank has; none if all ranks are neighbours.
std::vector<Grid> grids_with(std::int64_t ranks, std::int64_t edges, std::int64_t busiest);

// The divisors above 1 of a positive number, ascending.
std::vector<int> divisors(int number);

// Takes the extent of a dimension. rest: the product of the extents that are not taken yet, which
// is divided by this one. Throws BadMessage for an impossible extent.
int take_extent(WordReader &words, int &rest);

} // namespace nbrhood
