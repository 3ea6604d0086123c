/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors.
 *
 * Sparse matrix product: each rank has 8 rows, which need the entries of a quarter of the ranks.
 * MPI_Alltoallv brings them, with counts that are mostly 0, as in programs that never create a
 * topology. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 8, CALLS = 400 };

/* Whether a rank needs the entries of another one. */
static int needs(int rank, int other)
{
    return rank != other && (rank / 2 + other) % 4 == 0;
}

int main(int argc, char **argv)
{
    int rank, size;
    double x[ROWS], *sent, *received, length = 0, total;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *to = calloc(4 * size, sizeof(int)), *to_place = to + size;
    int *from = to + 2 * size, *from_place = to + 3 * size;
    sent = malloc(2 * ROWS * size * sizeof(double));
    received = sent + ROWS * size;
    for (int other = 0; other < size; ++other) {
        to[other] = needs(other, rank) ? ROWS : 0;
        from[other] = needs(rank, other) ? ROWS : 0;
        to_place[other] = from_place[other] = ROWS * other;
    }
    for (int row = 0; row < ROWS; ++row) {
        x[row] = 1;
    }
    for (int call = 0; call < CALLS; ++call) {
        double mean = 0;
        int sources = 0;
        for (int other = 0; other < size; ++other) {
            for (int row = 0; row < ROWS && to[other]; ++row) {
                sent[to_place[other] + row] = x[row];
            }
        }
        MPI_Alltoallv(sent, to, to_place, MPI_DOUBLE, received, from, from_place, MPI_DOUBLE,
                      MPI_COMM_WORLD);
        /* Each row of the matrix has the mean of the entries that the rank receives. */
        for (int other = 0; other < size; ++other) {
            for (int row = 0; row < ROWS && from[other]; ++row) {
                mean += received[from_place[other] + row];
                ++sources;
            }
        }
        for (int row = 0; row < ROWS && sources > 0; ++row) {
            x[row] = mean / sources;
        }
    }
    for (int row = 0; row < ROWS; ++row) {
        length += x[row];
    }
    MPI_Reduce(&length, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("product: sum %.6f, expected %.6f\n", total, (double) ROWS * size);
    }
    free(sent);
    free(to);
    MPI_Finalize();
    return 0;
}
