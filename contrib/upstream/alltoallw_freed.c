/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The communicator is freed while MPI_Ineighbor_alltoallw ("neighbours") or MPI_Ialltoallw ("all")
 * is under way, which MPI allows. Any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, left, right, out = 5, in = -1;
    const MPI_Aint place = 0;
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (argc > 1 && 0 == strcmp(argv[1], "neighbours")) {
        const int one = 1;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
        MPI_Ineighbor_alltoallw(&out, &one, &place, &type, &in, &one, &place, &type, comm,
                                &request);
        MPI_Comm_free(&comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        int *sends = calloc((size_t) size, sizeof(int)),
            *receives = calloc((size_t) size, sizeof(int));
        int *places = calloc((size_t) size, sizeof(int));
        MPI_Datatype *types = malloc((size_t) size * sizeof *types);
        for (int i = 0; i < size; ++i) {
            types[i] = type;
        }
        sends[right] = receives[left] = 1;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Ialltoallw(&out, sends, places, types, &in, receives, places, types, comm, &request);
        MPI_Comm_free(&comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&type);
    printf(5 == in ? "right\n" : "wrong: %d\n", in);
    MPI_Finalize();
    return 5 != in;
}
