// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The parts of a graph, made without MPI.
#ifndef NBRHOOD_COMMON_NEIGHBOURHOODS_H
#define NBRHOOD_COMMON_NEIGHBOURHOODS_H

#include "graph.h"

#include <vector>

namespace nbrhood_tools {

/// The part of rank `rank` of `ranks` in a graph that is computed (not spec.has_counts()).
Neighbourhood compute_neighbourhood(const GraphSpec &spec, int rank, int ranks);

/// Throws InputError when a computed graph over all these ranks would have more edges than
/// most_edges, or take too long to compute. Called where one process makes all parts.
void check_graph_size(const GraphSpec &spec, int ranks);

/// The parts of all ranks, by rank. In MPI programs called on rank 0 only. Throws InputError when
/// the graph's file is unusable or check_graph_size() refuses the graph.
std::vector<Neighbourhood> make_all_neighbourhoods(const GraphSpec &spec, int ranks);

} // namespace nbrhood_tools

#endif
