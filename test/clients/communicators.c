/* Makes and frees communicators, COUNT of them: `communicators dup COUNT` by MPI_Comm_dup,
   `communicators split COUNT` by MPI_Comm_split. For compare-programs: what a component costs that
   is never called. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int splits = argc == 3 && strcmp(argv[1], "split") == 0;
    const int count = argc == 3 && (splits || strcmp(argv[1], "dup") == 0) ? atoi(argv[2]) : 0;
    if (count < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: communicators dup|split COUNT\n");
        MPI_Finalize();
        return 2;
    }
    for (int i = 0; i < count && !failed; i++) {
        MPI_Comm made;
        failed = splits ? MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made)
                        : MPI_Comm_dup(MPI_COMM_WORLD, &made);
        failed = failed || MPI_Comm_free(&made);
    }
    MPI_Finalize();
    return failed ? 1 : 0;
}
