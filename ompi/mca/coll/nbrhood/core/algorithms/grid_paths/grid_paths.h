// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Grid paths: on graphs that are grids blocks travel along the dimensions, combined.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"

namespace nbrhood {

// Builds patterns in which each block travels along one dimension of a grid after the other, for
// blocks one per rank: a rank passes on all its blocks to its neighbours along a dimension. With r
// neighbours each way in d dimensions a rank sends 2rd messages in d phases, or fewer messages in
// more phases (grid_dimension.h), instead of (2r + 1)^d - 1: message combining for isomorphic
// neighbourhoods (Traeff, Luebbe, Rougier, Hunold, "Isomorphic, Sparse MPI-like Collective
// Communication Operations for Parallel Stencil Computations", EuroMPI 2015; Traeff, Hunold,
// "Cartesian Collective Communication", ICPP 2019), in which a Cartesian communicator defines the
// offsets.
//
// Here ranks find out from their edges alone that the graph is a grid: the out- and in-neighbours
// of a rank are all other ranks that are in its neighbourhood in every dimension, each once (Moore
// neighbourhoods; extents and radii may differ between dimensions, each of which is periodic or
// open), and all ranks of the communicator are numbered along the dimensions, the last one fastest.
// Every rank on the route of a block needs the block, and no block comes to a rank twice.
//
// Supersteps: a few words about the grids that a rank's edges allow go up the tree, and the grid
// comes down; then each rank knows its pattern, and the sum of the traffic follows
// (counted_protocol.h). The pattern is one message per edge if the graph is not a grid, if a grid
// would not need fewer messages, if all ranks are neighbours, and for blocks one per edge. Ranks
// without edges take no part.
std::unique_ptr<Builder> make_grid_paths_builder(const BuildInput &input);

// For the row's Algorithm::least: the messages on a grid with the number of ranks, edges and
// neighbours in the facts, as if over the nearest links. Nothing if there is no such grid, or none
// with fewer messages than edges, or no edge leaves a region.
std::optional<Traffic> least_on_grid_paths(const Facts &facts);

} // namespace nbrhood
