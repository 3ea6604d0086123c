/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors.
 *
 * A persistent exchange on a communicator whose info object says that it is used often: the
 * pattern is built from the first start on. Each rank exchanges a value with every second rank. */
#include <mpi.h>
#if MPI_VERSION < 4
#include <mpi-ext.h> /* the functions of MPI 4 with the prefix MPIX_ */
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#endif
#include <stdio.h>
#include <stdlib.h>

enum { STARTS = 200 };

int main(int argc, char **argv)
{
    int rank, size, degree = 0, wrong = 0, all_wrong;
    MPI_Info info;
    MPI_Comm graph;
    MPI_Request exchange;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *neighbours = malloc(3 * size * sizeof(int)), *sent = neighbours + size;
    int *received = neighbours + 2 * size;
    for (int other = 0; other < size; ++other) {
        if ((other + rank) % 2 == 1) {
            neighbours[degree++] = other;
        }
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "nbrhood_reuse", "many");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, neighbours, MPI_UNWEIGHTED, degree,
                                   neighbours, MPI_UNWEIGHTED, info, 0, &graph);
    MPI_Info_free(&info);
    MPI_Neighbor_alltoall_init(sent, 1, MPI_INT, received, 1, MPI_INT, graph, MPI_INFO_NULL,
                               &exchange);
    for (int start = 0; start < STARTS; ++start) {
        for (int i = 0; i < degree; ++i) {
            sent[i] = start + 1000 * rank;
        }
        MPI_Start(&exchange);
        MPI_Wait(&exchange, MPI_STATUS_IGNORE);
        for (int i = 0; i < degree; ++i) {
            wrong += received[i] != start + 1000 * neighbours[i];
        }
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("reuse: %d wrong values\n", all_wrong);
    }
    MPI_Request_free(&exchange);
    MPI_Comm_free(&graph);
    free(neighbours);
    MPI_Finalize();
    return 0;
}
