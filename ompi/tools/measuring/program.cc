// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "program.h"

#include "mpi_headers.h"

#include "common/papers.h"

#include <cstdio>

namespace nbrhood_tools {

int run_program(const char *name, int argc, char **argv, Body body)
{
    export_paper(argc, argv);
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = exit_bad_input;
    try {
        status = run_reporting_errors(name, rank == 0, [&] { return body(argc, argv, rank); });
    } catch (const std::exception &error) {
        // Most likely out of memory.
        std::fprintf(stderr, "%s: rank %d: %s\n", name, rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Finalize();
    return status;
}

} // namespace nbrhood_tools
