// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Work of the application between the start of an exchange and the wait for it.
#pragma once

#include "measuring/mpi_headers.h"

namespace nbrhood_tools::bench {

/// A fixed amount of arithmetic that needs no memory, the same on every rank.
class Computation {
public:
    /// Finds the amount of arithmetic that takes `seconds` on an otherwise idle core. With `tests`
    /// above 0 it is divided into tests + 1 slices with an MPI_Test between two of them. Collective
    /// over `comm`.
    Computation(double seconds, int tests, MPI_Comm comm);
    /// Runs the computation; tests `request`, if given, between the slices.
    void run(MPI_Request *request) const;

private:
    long steps_ = 0; ///< in a slice
    int tests_;
};

} // namespace nbrhood_tools::bench
