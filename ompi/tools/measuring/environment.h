// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The machine and software of the measurements.
#pragma once

#include "mpi_headers.h"

#include <string>
#include <vector>

namespace nbrhood_tools {

struct Environment {
    std::string mpi_version;
    std::string date; ///< ISO 8601, UTC, start of the run
    std::string host; ///< of rank 0
    int ranks = 0;
    int nodes = 0;
    int cores = 0; ///< of rank 0's node
    bool component_loaded = false;
    std::vector<std::string> mca_parameters; ///< OMPI_MCA_* of rank 0's environment, as NAME=VALUE
};

/// Fills an Environment. Collective over `comm`.
Environment describe_environment(MPI_Comm comm);

/// The first lines of a program's output: Open MPI, date, ranks and nodes.
void print_environment(const Environment &environment);

/// The last line: how far to trust the times.
void print_caution(const Environment &environment);

} // namespace nbrhood_tools
