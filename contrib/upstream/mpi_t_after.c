/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_T_finalize after MPI_Finalize, which MPI allows. One rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_T_finalize();
    printf("right\n");
    return 0;
}
