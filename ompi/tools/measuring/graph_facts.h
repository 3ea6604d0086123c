// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Properties of a whole graph. Separate from distribute.h, for programs that do not read graph
// files.
#pragma once

#include "mpi_headers.h"

#include "common/graph.h"

namespace nbrhood_tools {

/// Properties of the whole graph; the same on every rank.
struct GraphFacts {
    std::int64_t edges = 0;
    double mean_degree = 0;           ///< out-edges per rank
    int max_degree = 0;               ///< the larger of in- and out-degree, over all ranks
    int isolated_ranks = 0;           ///< ranks with no edge at all
    double mean_entries = 0;          ///< entries an edge carries
    int max_entries = 0;              ///< the count for alltoall, which has one size for all
    int max_own_entries = 0;          ///< the count for allgather, which has one size for all
    double mean_gathered_entries = 0; ///< entries an edge carries in an allgatherv
};

/// Summarises the graph. Collective over `comm`.
GraphFacts summarise(const Neighbourhood &part, MPI_Comm comm);

} // namespace nbrhood_tools
