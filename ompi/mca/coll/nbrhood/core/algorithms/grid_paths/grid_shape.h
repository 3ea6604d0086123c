// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Grids that a graph may be: dimensions, edges, and what blocks that travel along them cost.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/grid_paths/grid_dimension.h"
#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// A grid whose ranks are numbered as MPI_Cart_create numbers them: the coordinate in the last
// dimension changes from each rank to the next. Its edges join each rank with all whose coordinates
// are in its neighbourhood in every dimension (a Moore neighbourhood).
struct Grid {
    // Blocks travel in a phase for each dimension; two of the eight are those of direct messages
    // (kLocal, kLarge).
    static constexpr int kMostDimensions = 6;

    std::vector<GridDimension> dimensions;
    std::vector<int> order; // in which blocks travel along them: each once

    std::vector<int> coordinates(Rank rank) const;
    Rank rank_at(const std::vector<int> &coordinates) const;
    // A rank's neighbours and itself, ascending.
    std::vector<Rank> neighbourhood(Rank rank) const;

    std::int64_t edges() const;
    // That all ranks send, and those that the rank in the middle sends and receives.
    std::int64_t messages() const;
    std::int64_t messages_in_the_middle() const;
    // How many messages wait for one another.
    std::int64_t stages() const;

    // As words, and back; take throws BadMessage for what is no grid of so many ranks.
    void put(WordWriter &words) const;
    static Grid take(WordReader &words, Rank ranks);
};

// All grids, but for the order of their dimensions, with so many ranks and edges of which no rank
// has more neighbours than `busiest`, and some have as many; none where all ranks are neighbours.
std::vector<Grid> grids_with(std::int64_t ranks, std::int64_t edges, std::int64_t busiest);

// The numbers above 1 that divide a positive one, ascending.
std::vector<int> divisors(int number);

// Takes the extent of a dimension, of a grid that has so many ranks in a row of those that are not
// taken yet: `rest`, which then leaves it out. Throws BadMessage for one that cannot be.
int take_extent(WordReader &words, int &rest);

} // namespace nbrhood
