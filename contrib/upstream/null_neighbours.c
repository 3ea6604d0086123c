/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_PROC_NULL among the neighbours of a distributed graph. MPI 3.1 does not say whether it may be
 * there; the nonblocking and persistent calls accept it. Any number of ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int nobody = MPI_PROC_NULL, out = 1, in = 7;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &nobody, MPI_UNWEIGHTED, 1, &nobody,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoall(&out, 1, MPI_INT, &in, 1, MPI_INT, graph);
    printf(7 == in ? "right\n" : "wrong: the receive buffer was changed\n");
    MPI_Finalize();
    return 7 != in;
}
