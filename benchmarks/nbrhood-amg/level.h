// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The exchange on one level of an algebraic multigrid hierarchy.
#pragma once

#include "common/graph.h"

#include <cstdint>
#include <vector>

namespace nbrhood_tools::amg {

/// The exchange before a product of a level's matrix with a vector, on one rank: each rank gets the
/// entries of the vector that its rows need and other ranks own.
struct Level {
    std::int64_t rows = 0;     ///< of the whole matrix
    std::int64_t nonzeros = 0; ///< of the whole matrix

    std::int64_t first_row = 0; ///< global index of this rank's first row and entry
    int own_rows = 0;

    /// The columns of this rank's nonzeros: columns[row_start[r]] to columns[row_start[r + 1] - 1]
    /// are those of its row r.
    std::vector<std::int64_t> row_start{0}, columns;
    /// This rank's rows that are rows of the next level, in their order there.
    std::vector<int> coarse_rows;

    /// Neighbours, and the number of entries to and from each.
    Neighbourhood edges;
    /// This rank's entries to send, as local indices: those for the first destination, then those
    /// for the second, and so on.
    std::vector<int> sent_rows;
    /// Global indices of the entries received, source after source.
    std::vector<std::int64_t> received_rows;
};

} // namespace nbrhood_tools::amg
