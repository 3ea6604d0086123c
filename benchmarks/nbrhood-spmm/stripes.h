// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Rows in contiguous stripes, one for each rank.
#pragma once

namespace nbrhood_tools::spmm {

/// `rows` rows divided among `ranks` ranks: sizes differ by one at most, the larger ones come
/// first. Rows and ranks are numbered from 0.
struct Stripes {
    int rows = 0;
    int ranks = 1;

    int first(int rank) const
    {
        const int larger = rows % ranks;
        return rank * (rows / ranks) + (rank < larger ? rank : larger);
    }
    int size(int rank) const { return rows / ranks + (rank < rows % ranks ? 1 : 0); }
    /// The size of the largest stripe, which is the first.
    int largest() const { return size(0); }
    int owner(int row) const
    {
        const int larger = rows % ranks;
        const int in_larger = larger * (rows / ranks + 1);
        return row < in_larger ? row / (rows / ranks + 1)
                               : larger + (row - in_larger) / (rows / ranks);
    }
};

} // namespace nbrhood_tools::spmm
