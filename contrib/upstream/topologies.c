/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Topologies belong to a communicator and its duplicates. "group": MPI_Comm_create_group must not
 * pass one on. "graph": a distributed graph that is created on a grid is no grid. Two ranks or
 * more. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, periodic = 1, left, kind, in = -1, bad;
    MPI_Comm grid, other;
    MPI_Group group;
    const int of_group = argc > 1 && 0 == strcmp(argv[1], "group");
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    if (of_group) {
        MPI_Comm_group(grid, &group);
        MPI_Comm_create_group(grid, group, 0, &other);
        MPI_Topo_test(other, &kind);
        bad = MPI_UNDEFINED != kind;
        printf(bad ? "wrong: MPI_Topo_test gives %d\n" : "right\n", kind);
    } else {
        int right = (rank + 1) % size;
        left = (rank + size - 1) % size;
        MPI_Dist_graph_create_adjacent(grid, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &other);
        MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, other);
        bad = in != left;
        printf(bad ? "wrong: %d\n" : "right\n", in);
    }
    MPI_Finalize();
    return bad;
}
