/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* A periodic dimension of one or two ranks: the block that a rank sends in direction s of a
 * dimension must arrive in slot s^1 of that dimension (MPI 4.1, 8.7). One or two ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int size, rank, periodic = 1, peer, bad = 0;
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    peer = size - 1 - rank;
    for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
        const int out[2] = {10 * rank, 10 * rank + 1};
        int in[2] = {-1, -1};
        MPI_Request request = MPI_REQUEST_NULL;
        if (nonblocking) {
            MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid, &request);
        } else {
            MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (in[0] != 10 * peer + 1 || in[1] != 10 * peer) {
            printf("wrong: %s on rank %d gives %d, %d instead of %d, %d\n",
                   nonblocking ? "MPI_Ineighbor_alltoall" : "MPI_Neighbor_alltoall", rank, in[0],
                   in[1], 10 * peer + 1, 10 * peer);
            bad = 1;
        }
    }
    if (!bad) {
        printf("right\n");
    }
    MPI_Finalize();
    return bad;
}
