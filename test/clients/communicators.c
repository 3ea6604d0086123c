/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Makes and frees COUNT communicators, by MPI_Comm_dup, by MPI_Comm_split or, each with 26
 * neighbours at most, by MPI_Dist_graph_create_adjacent, to measure the cost of a component that
 * is never called. For compare-programs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 26 };

static int ranks, rank;

static int duplicate(MPI_Comm *made)
{
    return MPI_Comm_dup(MPI_COMM_WORLD, made);
}

static int split(MPI_Comm *made)
{
    return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, made);
}

/* The neighbours are the next ranks on both sides, all different from this rank. */
static int make_graph(MPI_Comm *made)
{
    int neighbours[MOST], degree = 0;
    for (int distance = 1; 2 * distance < ranks && degree < MOST; distance++) {
        neighbours[degree++] = (rank + distance) % ranks;
        neighbours[degree++] = (rank + ranks - distance) % ranks;
    }
    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, neighbours, MPI_UNWEIGHTED,
                                          degree, neighbours, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                          made);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*make)(MPI_Comm *);
    } ways[] = {{"dup", duplicate}, {"split", split}, {"graph", make_graph}};
    int (*make)(MPI_Comm *) = NULL;
    int failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3 && argc == 3; i++)
        make = strcmp(argv[1], ways[i].name) == 0 ? ways[i].make : make;
    const int count = argc == 3 ? atoi(argv[2]) : 0;
    if (make == NULL || count < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: communicators dup|split|graph COUNT\n");
        MPI_Finalize();
        return 2;
    }
    for (int i = 0; i < count && !failed; i++) {
        MPI_Comm made;
        failed = make(&made) || MPI_Comm_free(&made);
    }
    MPI_Finalize();
    return failed ? 1 : 0;
}
