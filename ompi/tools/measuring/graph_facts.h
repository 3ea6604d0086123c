// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What a graph looks like as a whole. Apart from distribute.h, for programs that have no graph
// files to read.
#pragma once

#include "mpi_headers.h"

#include "common/graph.h"

namespace nbrhood_tools {

/// What the whole graph looks like; the same on every rank.
struct GraphFacts {
    std::int64_t edges = 0;
    double mean_degree = 0;           ///< out-edges per rank
    int max_degree = 0;               ///< the larger of in- and out-degree, over all ranks
    int isolated_ranks = 0;           ///< ranks with no edge at all
    double mean_entries = 0;          ///< entries an edge carries
    int max_entries = 0;              ///< what alltoall, which has one size for all, must use
    int max_own_entries = 0;          ///< what allgather, which has one size for all, must use
    double mean_gathered_entries = 0; ///< entries an edge carries in an allgatherv
};

/// Summarises the graph. Collective over `comm`.
GraphFacts summarise(const Neighbourhood &part, MPI_Comm comm);

} // namespace nbrhood_tools
