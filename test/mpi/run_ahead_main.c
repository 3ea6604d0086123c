/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Measures the memory of messages that no rank receives yet. The ranks of the first half send to
 * all of the second half and, except for the last one, have no in-edges, so nothing holds them
 * back. The last one, through which their blocks may be relayed, sleeps before its calls. Run it on
 * two nodes. Arguments: CALLS SECONDS BYTES [world]. Prints the growth of resident memory: the
 * greatest of a rank, and the sum of all ranks. With "world" the same blocks travel by
 * MPI_Alltoallv.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The blocks of a rank: by neighbour, or by rank of MPI_COMM_WORLD. */
typedef struct blocks_t {
    int *counts, *at;
    char *memory;
} blocks_t;

static blocks_t blocks_of(int degree, const int *peers, int size, int bytes, int world)
{
    blocks_t blocks = {room((size_t) size, sizeof(int)), room((size_t) size, sizeof(int)),
                       room((size_t) size, (size_t) bytes)};
    for (int which = 0; which < degree; ++which) {
        blocks.counts[world ? peers[which] : which] = bytes;
    }
    for (int which = 0; which < size; ++which) {
        blocks.at[which] = which * bytes;
    }
    return blocks;
}

static void blocks_free(blocks_t *blocks)
{
    free(blocks->counts);
    free(blocks->at);
    free(blocks->memory);
}

static void exchange(const blocks_t *out, const blocks_t *in, MPI_Comm graph, int world)
{
    if (world) {
        MPI_Alltoallv(out->memory, out->counts, out->at, MPI_BYTE, in->memory, in->counts, in->at,
                      MPI_BYTE, MPI_COMM_WORLD);
    } else {
        MPI_Neighbor_alltoallv(out->memory, out->counts, out->at, MPI_BYTE, in->memory, in->counts,
                               in->at, MPI_BYTE, graph);
    }
}

int main(int argc, char **argv)
{
    int rank, size, indegree = 0, outdegree = 0;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int world = 5 == argc && 0 == strcmp(argv[4], "world");
    if ((4 != argc && !world) || size < 2) {
        fprintf(stderr, "usage: mpirun -n RANKS nbrhood-run-ahead CALLS SECONDS BYTES [world]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int calls = atoi(argv[1]), seconds = atoi(argv[2]), bytes = atoi(argv[3]);
    const int half = size / 2, sleeper = half - 1;
    int *from = room((size_t) size, sizeof *from), *to = room((size_t) size, sizeof *to);
    int *weights = room((size_t) size, sizeof *weights); /* all equal */
    for (int peer = 0; peer < size; ++peer) {
        const int first = peer < half;
        if ((rank < half && !first) || (rank >= half && peer == sleeper)) {
            to[outdegree++] = peer;
        }
        if ((rank >= half && first) || (rank == sleeper && !first)) {
            from[indegree++] = peer;
        }
        weights[peer] = 1;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, from, weights, outdegree, to, weights,
                                   MPI_INFO_NULL, 0, &graph);
    blocks_t out = blocks_of(outdegree, to, size, bytes, world);
    blocks_t in = blocks_of(indegree, from, size, bytes, world);
    exchange(&out, &in, graph, world);
    MPI_Barrier(MPI_COMM_WORLD);
    const long before = resident();
    if (rank == sleeper) {
        sleep((unsigned) seconds);
    }
    for (int call = 0; call < calls; ++call) {
        exchange(&out, &in, graph, world);
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
    blocks_free(&in);
    blocks_free(&out);
    free(weights);
    free(to);
    free(from);
    MPI_Finalize();
    return 0;
}
