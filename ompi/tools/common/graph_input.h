// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The graphs of nbrhood-bench, in the form that the core takes.
#pragma once

#include "graph.h"
#include "graph/neighbourhood.h"
#include "pattern/pattern.h"

#include <cstdint>
#include <vector>

namespace nbrhood_tools {

/// The sizes of a call, as for nbrhood-bench.
struct BlockSizes {
    nbrhood::BlockKind kind = nbrhood::BlockKind::one_per_edge;
    std::int64_t block_bytes = 8; ///< of each block, in graphs without counts (computed ones)
    std::int64_t entry_bytes = 8; ///< of an entry, in graphs with counts (matrix, mesh)
};

/// A graph over `ranks` ranks and the blocks of one call.
struct GraphInput {
    std::vector<nbrhood::Neighbourhood> neighbourhoods; ///< by rank
    /// The bytes of each rank's send blocks, by rank. one_per_edge: one block for each out-edge, in
    /// order, as in MPI_Neighbor_alltoallv; one_per_rank: one block, as in MPI_Neighbor_allgatherv
    /// (also for a rank without out-edges, which sends it to nobody).
    std::vector<std::vector<std::int64_t>> block_bytes;
    /// In graphs with counts, one_per_edge: the numbers of the rank's entries in each block.
    std::vector<std::vector<std::vector<int>>> block_entries;
};

/// Makes the graph. Besides the result, only one rank's part of a computed graph is in memory, or
/// the whole graph of a file. Throws InputError when the file is unusable, the graph has no edges,
/// or it is larger than common/bounds.h allows.
GraphInput make_graph_input(const GraphSpec &spec, int ranks, const BlockSizes &sizes);

} // namespace nbrhood_tools
