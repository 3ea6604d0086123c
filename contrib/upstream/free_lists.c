/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Point-to-point only: in each round every rank sends two messages of different sizes to each other
 * one, of a datatype with gaps, so that fragments of shared memory carry them. Argument: ROUNDS.
 * Prints OK, or the round in which a rank waited for 12 seconds. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 2, MOST = 12500 }; /* for each pair, and elements of 8 bytes */

static int rank, size, round_number;

static int elements(int from, int to, int message) /* the same at both ranks */
{
    unsigned h = (unsigned) ((round_number * 64 + from) * 64 + to * MESSAGES + message);
    h = (h ^ h >> 15) * 2654435761u;
    h = (h ^ h >> 13) * 2246822519u;
    h ^= h >> 16;
    return (int) ((h >> 2) % (unsigned) (h % 4 == 0 ? 25 : h % 4 == 1 ? 500 : MOST));
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
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    const size_t place = 2 * 8 * (size_t) MOST;
    MPI_Datatype gaps, element;
    MPI_Request *requests;
    char *out, *in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(2, 4, 8, MPI_BYTE, &gaps);
    MPI_Type_create_resized(gaps, 0, 16, &element);
    MPI_Type_commit(&element);
    out = calloc(1, place);
    in = calloc((size_t) size * MESSAGES, place);
    requests = malloc(2 * MESSAGES * (size_t) size * sizeof *requests);
    signal(SIGALRM, late);
    for (round_number = 0; round_number < rounds; ++round_number) {
        int n = 0, step, message;
        alarm(12);
        for (message = 0; message < MESSAGES; ++message) {
            for (step = 1; step < size; ++step) {
                const int peer = (rank + step) % size;
                MPI_Irecv(in + (size_t) (peer * MESSAGES + message) * place, MOST, element, peer,
                          message, MPI_COMM_WORLD, &requests[n++]);
                MPI_Isend(out, elements(rank, peer, message), element, peer, message,
                          MPI_COMM_WORLD, &requests[n++]);
            }
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    alarm(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        printf("OK\n");
    }
    MPI_Type_free(&element);
    MPI_Type_free(&gaps);
    free(requests);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
