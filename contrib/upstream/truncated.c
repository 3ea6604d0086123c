/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* A message twice as long as its receive: MPI_ERR_TRUNCATE is due, and no byte behind the buffer
 * may change. Two ranks. Argument: bytes of the receive. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int bytes = argc > 1 ? atoi(argv[1]) : 2500;
    char *buffer = calloc((size_t) bytes, 2);
    int rank, bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (0 == rank) {
        for (int i = 0; i < 2 * bytes; ++i) {
            buffer[i] = 1;
        }
        MPI_Send(buffer, 2 * bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (1 == rank) {
        int error, class_of_error, behind = 0;
        MPI_Request request;
        MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Error_class(error, &class_of_error);
        for (int i = bytes; i < 2 * bytes; ++i) {
            behind += buffer[i];
        }
        bad = MPI_ERR_TRUNCATE != class_of_error || behind > 0;
        printf(bad ? "wrong: error class %d, %d bytes behind the buffer written\n" : "right\n",
               class_of_error, behind);
    }
    MPI_Finalize();
    return bad;
}
