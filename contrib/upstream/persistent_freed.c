/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* A datatype ("types") or the communicator ("communicator") is freed between the init of a
 * persistent neighbourhood collective and its start, which MPI allows: both live until the request
 * is freed. Any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif

int main(int argc, char **argv)
{
    int rank, size, left, right, out[2] = {0, 0}, in[2] = {-1, -1}, bad;
    MPI_Datatype pair;
    MPI_Comm ring;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_alltoall_init(out, 1, pair, in, 1, pair, ring, MPI_INFO_NULL, &request);
    if (argc > 1 && 0 == strcmp(argv[1], "types")) {
        MPI_Type_free(&pair);
        MPI_Type_contiguous(1, MPI_CHAR, &pair); /* may take the freed memory */
    } else {
        MPI_Comm_free(&ring);
    }
    out[1] = rank;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    bad = in[1] != left;
    printf(bad ? "wrong: %d\n" : "right\n", in[1]);
    MPI_Request_free(&request);
    MPI_Finalize();
    return bad;
}
