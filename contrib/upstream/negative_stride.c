/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Single bytes with a stride of -1 are packed in descending order. One rank. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char from[] = "abcdefg";
    char packed[5] = "";
    int position = 0, bad;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Type_create_hvector(4, 1, -1, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Pack(from + 3, 1, type, packed, 4, &position, MPI_COMM_SELF);
    bad = 0 != strcmp(packed, "dcba");
    printf(bad ? "wrong: %s instead of dcba\n" : "right\n", packed);
    MPI_Type_free(&type);
    MPI_Finalize();
    return bad;
}
