/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Point-to-point only: in each round every rank sends to some others, in every EVERY-th round by
 * MPI_Issend. Arguments: ROUNDS EVERY BYTES. Prints OK, or the round in which a rank waited for 12
 * seconds. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, round_number;

static int sends(int from, int to) /* the same graph at all ranks: about 60 % of all pairs */
{
    unsigned h = (unsigned) (from * 64 + to) * 2654435761u;
    h ^= h >> 15;
    return from != to && (h * 2246822519u >> 8) % 10 < 6;
}

static void late(int signal_number)
{
    char text[64];
    const int n = snprintf(text, sizeof text, "rank %d waits in round %d\n", rank, round_number);
    (void) signal_number;
    _exit(write(STDERR_FILENO, text, (size_t) n) < 0 ? 8 : 9);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300, every = argc > 2 ? atoi(argv[2]) : 32;
    int bytes = argc > 3 ? atoi(argv[3]) : 64;
    char *out, *in;
    MPI_Request *requests;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc((size_t) size, (size_t) bytes);
    in = calloc((size_t) size, (size_t) bytes);
    requests = malloc(2 * (size_t) size * sizeof *requests);
    signal(SIGALRM, late);
    for (round_number = 0; round_number < rounds; ++round_number) {
        int n = 0, peer;
        alarm(12);
        for (peer = 0; peer < size; ++peer) {
            if (sends(peer, rank)) {
                MPI_Irecv(in + peer * bytes, bytes, MPI_BYTE, peer, 5, MPI_COMM_WORLD,
                          &requests[n++]);
            }
        }
        for (peer = 0; peer < size; ++peer) {
            if (sends(rank, peer)) {
                (round_number % every == every - 1 ? MPI_Issend : MPI_Isend)(
                    out + peer * bytes, bytes, MPI_BYTE, peer, 5, MPI_COMM_WORLD, &requests[n++]);
            }
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    alarm(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        printf("OK\n");
    }
    MPI_Finalize();
    return 0;
}
