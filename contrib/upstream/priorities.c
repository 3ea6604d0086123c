/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Communicators and collectives, where rank 0 gives one of Open MPI's components another priority
 * than the others, as an mca-params.conf of its node could. Arguments: functions to call, such as
 * MPI_Bcast (default: all). Each rank prints OK, the function that gave a wrong result, or the one
 * in which it waited for 12 seconds. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRounds = 20, kCount = 5000 };

static int rank, size, bad;
static const char *at = "MPI_Init";
static int out[kCount * 16], in[kCount * 16];

/* Runs in a signal handler. */
static void late(int signal_number)
{
    char text[128];
    const int n = snprintf(text, sizeof text, "rank %d waits in %s\n", rank, at);
    (void) signal_number;
    _exit(write(STDERR_FILENO, text, (size_t) n) < 0 ? 8 : 9);
}

static void expect(int got, int wanted)
{
    if (got != wanted && 0 == bad++) {
        printf("rank %d: wrong result of %s: %d instead of %d\n", rank, at, got, wanted);
    }
}

static int is_wanted(int argc, char **argv, const char *name)
{
    int found = argc < 2;
    for (int i = 1; i < argc; ++i) {
        found = found || 0 == strcmp(argv[i], name);
    }
    at = name;
    alarm(12);
    return found;
}

static void fill(int count)
{
    for (int i = 0; i < count * size; ++i) {
        out[i] = rank + 1;
        in[i] = -1;
    }
}

static void call_all(int argc, char **argv, int count, MPI_Comm comm)
{
    const int sum = size * (size + 1) / 2, last = count - 1;
    fill(count);
    if (is_wanted(argc, argv, "MPI_Barrier")) {
        MPI_Barrier(comm);
    }
    if (is_wanted(argc, argv, "MPI_Bcast")) {
        memcpy(in, out, (size_t) count * sizeof *in);
        MPI_Bcast(in, count, MPI_INT, 0, comm);
        expect(in[last], 1);
    }
    if (is_wanted(argc, argv, "MPI_Reduce")) {
        MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, 0, comm);
        if (0 == rank) {
            expect(in[last], sum);
        }
    }
    if (is_wanted(argc, argv, "MPI_Allreduce")) {
        MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
        expect(in[last], sum);
    }
    if (is_wanted(argc, argv, "MPI_Gather")) {
        MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, 0, comm);
        if (0 == rank) {
            expect(in[count * size - 1], size);
        }
    }
    if (is_wanted(argc, argv, "MPI_Scatter")) {
        MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, 0, comm);
        expect(in[last], 1);
    }
    if (is_wanted(argc, argv, "MPI_Allgather")) {
        MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, comm);
        expect(in[count * size - 1], size);
    }
    if (is_wanted(argc, argv, "MPI_Alltoall")) {
        MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
        expect(in[count * size - 1], size);
    }
}

int main(int argc, char **argv)
{
    const char *const number = getenv("OMPI_COMM_WORLD_RANK");
    if (NULL != number && 0 == strcmp(number, "0")) {
        setenv("OMPI_MCA_coll_basic_priority", "100", 1);
    }
    signal(SIGALRM, late);
    alarm(12);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 16) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int round = 0; round < kRounds; ++round) {
        MPI_Comm comm = MPI_COMM_WORLD;
        if (is_wanted(argc, argv, "MPI_Comm_dup")) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        if (is_wanted(argc, argv, "MPI_Comm_split")) {
            MPI_Comm split;
            MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &split);
            MPI_Comm_free(&split);
        }
        call_all(argc, argv, 0 == round % 2 ? 1 : kCount, comm);
        if (MPI_COMM_WORLD != comm) {
            at = "MPI_Comm_free";
            MPI_Comm_free(&comm);
        }
    }
    at = "MPI_Finalize";
    alarm(12);
    if (0 == bad) {
        printf("rank %d: OK\n", rank);
    }
    MPI_Finalize();
    return 0 == bad ? 0 : 1;
}
