// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The BoomerAMG hierarchy of the paper's problem. Only this file and its source use hypre.
#pragma once

#include "level.h"

#include "measuring/mpi_headers.h"

#include <string>
#include <vector>

namespace nbrhood_tools::amg {

/// Rotated anisotropic diffusion with a 7-point stencil on a grid (section 4.1 of the paper on
/// locality-aware alltoallv), divided into one rectangle for each rank.
struct Problem {
    int columns = 0; ///< grid points in the first direction
    int lines = 0;   ///< grid points in the second direction
    int ranks_across = 0;
    int ranks_down = 0;

    int ranks() const { return ranks_across * ranks_down; }

    static constexpr double angle = 45; ///< degrees
    static constexpr double anisotropy = 0.001;
};

/// Shapes a grid of `rows` points and one of `ranks` ranks as nearly square as their divisors
/// allow. Throws OptionError if the longer side would be more than four times the shorter, or ranks
/// would be left without points.
Problem make_problem(std::int64_t rows, int ranks);

struct Hierarchy {
    std::vector<Level> levels; ///< fine to coarse
    double setup_seconds = 0;  ///< BoomerAMG's setup, slowest rank
};

/// Runs BoomerAMG's setup with hypre's defaults on the problem and returns the exchange of each
/// level's matrix. Collective over `comm`, which has one rank for each rectangle. Throws InputError
/// on every rank if hypre reports an error.
Hierarchy make_hierarchy(const Problem &problem, MPI_Comm comm);

/// The version of the headers with which this program was compiled, such as "2.26.0".
std::string hypre_version();

} // namespace nbrhood_tools::amg
