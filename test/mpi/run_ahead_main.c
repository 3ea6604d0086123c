/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Measures the memory of messages that no rank receives yet. The ranks of the first half send to
 * all of the second half and, except for the last one, have no in-edges, so nothing holds them
 * back. The last one, through which their blocks may be relayed, sleeps before its calls. Run it on
 * two nodes. Arguments: CALLS SECONDS BYTES. Prints the growth of resident memory: the greatest of
 * a rank, and the sum of all ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (NULL == memory) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* The most resident memory so far, in KiB. */
static long resident(void)
{
    char line[128];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (NULL != file && 0 == kib && NULL != fgets(line, sizeof line, file)) {
        (void) sscanf(line, "VmHWM: %ld", &kib);
    }
    if (NULL != file) {
        fclose(file);
    }
    return kib;
}

int main(int argc, char **argv)
{
    int rank, size, indegree = 0, outdegree = 0;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (4 != argc || size < 2) {
        fprintf(stderr, "usage: mpirun -n RANKS nbrhood-run-ahead CALLS SECONDS BYTES\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int calls = atoi(argv[1]), seconds = atoi(argv[2]), bytes = atoi(argv[3]);
    const int half = size / 2, sleeper = half - 1;
    int *from = room((size_t) size, sizeof *from), *to = room((size_t) size, sizeof *to);
    int *weights = room((size_t) size, sizeof *weights); /* all equal */
    int *counts = room((size_t) size, sizeof *counts), *at = room((size_t) size, sizeof *at);
    for (int peer = 0; peer < size; ++peer) {
        const int first = peer < half;
        if ((rank < half && !first) || (rank >= half && peer == sleeper)) {
            to[outdegree++] = peer;
        }
        if ((rank >= half && first) || (rank == sleeper && !first)) {
            from[indegree++] = peer;
        }
        weights[peer] = 1;
        counts[peer] = bytes;
        at[peer] = peer * bytes;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, from, weights, outdegree, to, weights,
                                   MPI_INFO_NULL, 0, &graph);
    char *out = room((size_t) size, (size_t) bytes), *in = room((size_t) size, (size_t) bytes);
    MPI_Neighbor_alltoallv(out, counts, at, MPI_BYTE, in, counts, at, MPI_BYTE, graph);
    MPI_Barrier(MPI_COMM_WORLD);
    const long before = resident();
    if (rank == sleeper) {
        sleep((unsigned) seconds);
    }
    for (int call = 0; call < calls; ++call) {
        MPI_Neighbor_alltoallv(out, counts, at, MPI_BYTE, in, counts, at, MPI_BYTE, graph);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const long grown = resident() - before;
    long most, all;
    MPI_Reduce(&grown, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&grown, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%d calls: a rank grew by %ld KiB at most, all by %ld KiB\n", calls, most, all);
    }
    MPI_Comm_free(&graph);
    free(in);
    free(out);
    free(at);
    free(counts);
    free(weights);
    free(to);
    free(from);
    MPI_Finalize();
    return 0;
}
