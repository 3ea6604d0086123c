/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Neighbourhood alltoalls of given sizes in turn, checked by value, for transports on which
 * messages overtake each other (contrib/check links: several TCP links, busy cores). About 60 % of
 * all pairs of ranks are edges. Arguments: CALLS LONGS... Prints PASS or FAIL and a count, as other
 * tests do.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LONGS = 1 << 17 };

static int sends(int from, int to)
{
    unsigned h = (unsigned) (from * 64 + to) * 2654435761u;
    h ^= h >> 15;
    return from != to && (h * 2246822519u >> 8) % 10 < 6;
}

static long value(int from, int to, int i, int call)
{
    return ((from * 131L + to) * 100003L + i) * 1009L + call;
}

static void *room(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (NULL == memory) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

int main(int argc, char **argv)
{
    int rank, size, indegree = 0, outdegree = 0;
    long bad = 0, all = 0;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *from = room((size_t) size * sizeof *from), *to = room((size_t) size * sizeof *to);
    int *weights = room((size_t) size * sizeof *weights); /* all equal */
    for (int peer = 0; peer < size; ++peer) {
        if (sends(peer, rank)) {
            from[indegree++] = peer;
        }
        if (sends(rank, peer)) {
            to[outdegree++] = peer;
        }
        weights[peer] = 1;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, from, weights, outdegree, to, weights,
                                   MPI_INFO_NULL, 0, &graph);
    long *out = room(sizeof *out * MOST_LONGS * (size_t) (outdegree + 1));
    long *in = room(sizeof *in * MOST_LONGS * (size_t) (indegree + 1));
    const int calls = argc > 2 ? atoi(argv[1]) : 0;
    for (int call = 0; call < calls; ++call) {
        int n = atoi(argv[2 + call % (argc - 2)]);
        n = n < 0 ? 0 : n > MOST_LONGS ? MOST_LONGS : n;
        for (int e = 0; e < outdegree; ++e) {
            for (int i = 0; i < n; ++i) {
                out[(long) e * n + i] = value(rank, to[e], i, call);
            }
        }
        MPI_Neighbor_alltoall(out, n, MPI_LONG, in, n, MPI_LONG, graph);
        for (int e = 0; e < indegree; ++e) {
            for (int i = 0; i < n; ++i) {
                bad += in[(long) e * n + i] != value(from[e], rank, i, call);
            }
        }
    }
    MPI_Allreduce(&bad, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%s %d calls, %ld wrong values\n", 0 == all ? "PASS" : "FAIL", calls, all);
    }
    MPI_Comm_free(&graph);
    free(in);
    free(out);
    free(weights);
    free(to);
    free(from);
    MPI_Finalize();
    return 0 == all ? 0 : 1;
}
