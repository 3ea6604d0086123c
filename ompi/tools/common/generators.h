// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Graphs that are computed, not read. Every rank computes its own part without communication.
#pragma once

#include "graph.h"

namespace nbrhood_tools {

/// A directed Erdos-Renyi graph: each ordered pair of different ranks is an edge with probability
/// `density`. The same seed gives the same graph on every rank and in every run.
Neighbourhood random_sparse_graph(double density, std::uint64_t seed, int rank, int size);

/// A random_sparse_graph() whose density gives each rank `degree` out-neighbours in the mean.
Neighbourhood random_degree_graph(double degree, std::uint64_t seed, int rank, int size);

/// Moore neighbourhood: all ranks at most `radius` steps away in each of `dimensions` dimensions of
/// a periodic grid, each once, without the rank itself, ascending by offset.
Neighbourhood moore_graph(int dimensions, int radius, int rank, int size);

/// `reach` neighbours on each side of a ring, each once, without the rank itself.
Neighbourhood ring_graph(int reach, int rank, int size);

/// Cliques of `members` consecutive ranks (the last one may have fewer): each rank exchanges blocks
/// with all others of its clique.
Neighbourhood clique_graph(int members, int rank, int size);

/// A few busy ranks: `hubs` ranks, evenly spread, each exchange blocks with every other rank; the
/// others have no further edges.
Neighbourhood hub_graph(int hubs, int rank, int size);

/// A directed graph whose degrees fall by a power law with exponent 2.5 (Chung and Lu's model: an
/// edge's probability is proportional to the weights of both ranks, at most 1), with `degree`
/// out-neighbours or a little fewer in the mean. `seed` also determines which ranks are the busy
/// ones.
Neighbourhood power_law_graph(double degree, std::uint64_t seed, int rank, int size);

} // namespace nbrhood_tools
