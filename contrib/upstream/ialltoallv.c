/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Nonblocking MPI_Ialltoallv. "empty": rank 0 sends a nonzero count of a datatype without bytes,
 * and rank 1 expects a count of 0 of it: signatures match. "tag": all counts of rank 0 are 0, in
 * place, then a duplicate is made. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, sends[2] = {0, 0}, receives[2] = {0, 0}, buffer[2] = {0, 0};
    const int places[2] = {0, 1};
    MPI_Request request;
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && 0 == strcmp(argv[1], "empty")) {
        MPI_Datatype empty;
        MPI_Type_contiguous(0, MPI_INT, &empty);
        MPI_Type_commit(&empty);
        receives[1] = 0 == rank ? 3 : 0;
        MPI_Ialltoallv(buffer, sends, places, empty, buffer, receives, places, empty,
                       MPI_COMM_WORLD, &request);
    } else {
        receives[rank] = rank; /* rank 1 has a block for itself */
        MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, buffer, receives, places,
                       MPI_INT, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    printf("right\n");
    MPI_Finalize();
    return 0;
}
