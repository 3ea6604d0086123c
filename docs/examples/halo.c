/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors.
 *
 * Halo exchange: each rank has a square tile of a periodic grid and smooths it with its eight
 * neighbours. Needs a square number of ranks, at least three in each direction. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 16, WIDTH = SIDE + 2, CALLS = 400 };

static double tile[WIDTH][WIDTH], next[WIDTH][WIDTH];

/* Copies the edge or corner of the tile in a direction, or the halo beyond it, to or from a buffer.
 */
static void copy(double *buffer, int dy, int dx, int halo)
{
    int y0 = dy < 0 ? 1 - halo : dy > 0 ? SIDE + halo : 1, y1 = dy ? y0 : SIDE;
    int x0 = dx < 0 ? 1 - halo : dx > 0 ? SIDE + halo : 1, x1 = dx ? x0 : SIDE;
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x, ++buffer) {
            *(halo ? &tile[y][x] : buffer) = halo ? *buffer : tile[y][x];
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size, side = 1, n = 0, words = 0;
    int neighbour[8], dy[8], dx[8], counts[8], places[8];
    double sent[8 * SIDE], received[8 * SIDE], sum = 0, total;
    MPI_Comm grid;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (; (side + 1) * (side + 1) <= size; ++side) {}
    if (side * side != size || side < 3) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < 9; i += i == 3 ? 2 : 1) { /* without the tile itself */
        dy[n] = i / 3 - 1;
        dx[n] = i % 3 - 1;
        neighbour[n] = (rank / side + dy[n] + side) % side * side + (rank + dx[n] + side) % side;
        counts[n] = dy[n] && dx[n] ? 1 : SIDE;
        places[n] = words;
        words += counts[n++];
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 8, neighbour, MPI_UNWEIGHTED, 8, neighbour,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &grid);
    tile[1][1] = rank + 1;
    for (int call = 0; call < CALLS; ++call) {
        for (int i = 0; i < 8; ++i) {
            copy(sent + places[i], dy[i], dx[i], 0);
        }
        MPI_Neighbor_alltoallv(sent, counts, places, MPI_DOUBLE, received, counts, places,
                               MPI_DOUBLE, grid);
        for (int i = 0; i < 8; ++i) {
            copy(received + places[i], dy[i], dx[i], 1);
        }
        for (int at = 0; at < SIDE * SIDE; ++at) {
            int y = at / SIDE + 1, x = at % SIDE + 1;
            next[y][x] = 0.5 * tile[y][x];
            for (int i = 0; i < 8; ++i) {
                next[y][x] += tile[y + dy[i]][x + dx[i]] / 16;
            }
        }
        memcpy(tile, next, sizeof(tile)); /* the halo is received again */
    }
    for (int at = 0; at < SIDE * SIDE; ++at) {
        sum += tile[at / SIDE + 1][at % SIDE + 1];
    }
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("halo: sum %.6f, expected %.6f\n", total, 0.5 * size * (size + 1));
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
