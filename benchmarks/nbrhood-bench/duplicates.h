// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The share of entries that cross between nodes more than once.
#pragma once

#include "common/graph.h"
#include "measuring/mpi_headers.h"

namespace nbrhood_tools::bench {

/// Entries that the edges between nodes carry; the same on every rank.
struct DuplicateFacts {
    std::int64_t between_nodes = 0; ///< all of them
    std::int64_t duplicates = 0;    ///< entries that another edge also takes to the same node

    /// Share of duplicates, 0 to 1; 0 if no entry crosses.
    double share() const
    {
        return between_nodes == 0 ? 0 : static_cast<double>(duplicates) / double(between_nodes);
    }
};

/// Counts them. Collective over `comm`.
DuplicateFacts count_duplicates(const Neighbourhood &part, MPI_Comm comm);

} // namespace nbrhood_tools::bench
