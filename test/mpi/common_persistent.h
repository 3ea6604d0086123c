// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The names of persistent collectives in this MPI.
#pragma once

#include "common_mpi.h"

// Open MPI 5.0 has the MPI-4 names although it still reports MPI 3.1.
#if MPI_VERSION < 4 && OMPI_MAJOR_VERSION < 5
extern "C" {
#include <mpi-ext.h>
}
#define NBRHOOD_TEST_PERSISTENT(name) MPIX_##name
#define NBRHOOD_TEST_PERSISTENT_PREFIX "MPIX_"
#else
#define NBRHOOD_TEST_PERSISTENT(name) MPI_##name
#define NBRHOOD_TEST_PERSISTENT_PREFIX "MPI_"
#endif
