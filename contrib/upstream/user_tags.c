/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Receives of the user on tags 0 and 1, and a blocking neighbourhood collective on the same
 * Cartesian communicator. Two ranks, over pml/ucx: it keeps 24 bits of a tag, and coll/basic's tags
 * for dimension 0 become 0 and 1. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, periodic = 0, mine[2] = {-1, -1}, out[2], in[2] = {-1, -1}, bad;
    const int token = 1000;
    MPI_Comm grid;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    for (int tag = 0; tag < 2; ++tag) {
        MPI_Irecv(&mine[tag], 1, MPI_INT, 1 - rank, tag, grid, &requests[tag]);
    }
    out[0] = out[1] = rank;
    MPI_Barrier(grid);
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    for (int tag = 0; tag < 2; ++tag) {
        MPI_Send(&token, 1, MPI_INT, 1 - rank, tag, grid);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    bad = mine[0] != token || mine[1] != token || in[1 - rank] != 1 - rank;
    printf(bad ? "wrong: the user receives %d, %d; the collective %d\n" : "right\n", mine[0],
           mine[1], in[1 - rank]);
    MPI_Finalize();
    return bad;
}
