/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_Neighbor_allgather of a rank without in-edges, which passes a receive count of 0: it must
 * send all the same. Two ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, peer, in = -1, bad;
    MPI_Comm edge;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank, &peer, MPI_UNWEIGHTED, peer, &peer,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &edge);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, rank, MPI_INT, edge);
    bad = 1 == rank && 0 != in;
    printf(bad ? "wrong: %d\n" : "right\n", in);
    MPI_Finalize();
    return bad;
}
