#include "program.h"

#include "mpi_headers.h"

#include <cstdio>

namespace nbrhood_bench {

namespace {

ExitStatus guarded(const char *name, int argc, char **argv, int rank, Body body)
{
    try {
        return body(argc, argv, rank);
    } catch (const OptionError &error) {
        if (rank == 0)
            std::fprintf(stderr, "%s: %s\n", name, error.what());
        return exit_bad_options;
    } catch (const InputError &error) {
        if (rank == 0)
            std::fprintf(stderr, "%s: %s\n", name, error.what());
        return exit_bad_input;
    }
}

} // namespace

int run_program(const char *name, int argc, char **argv, Body body)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = exit_bad_input;
    try {
        status = guarded(name, argc, argv, rank, body);
    } catch (const std::exception &error) {
        // Most likely out of memory.
        std::fprintf(stderr, "%s: rank %d: %s\n", name, rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Finalize();
    return status;
}

} // namespace nbrhood_bench
