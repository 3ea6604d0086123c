// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The only file that includes MPI, and that knows the names of persistent neighbourhood collectives
// in this MPI.
#pragma once

// The long-removed C++ bindings of MPI only slow the compiler down.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

// Open MPI 5.0 still reports MPI 3.1 but has the MPI 4 names; 4.1 has them as an extension with the
// prefix MPIX.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define NBRHOOD_BENCH_PERSISTENT(name) MPI_##name
#else
extern "C" {
#include <mpi-ext.h>
}
#define NBRHOOD_BENCH_PERSISTENT(name) MPIX_##name
#endif
