// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "verification.h"

#include <cstdio>
#include <cstring>
#include <vector>

namespace nbrhood_tools {

namespace {

constexpr int shown_ranks = 8; // the first wrong ranks are informative; hundreds would hide them

/// Called only after a failure; so a right result costs one reduction and no memory on rank 0.
void report(std::size_t wrong, const std::string &first, const std::string &what, MPI_Comm comm)
{
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    char line[256] = "";
    if (wrong > 0)
        std::snprintf(line, sizeof line, "%s; %zu wrong bytes", first.c_str(), wrong);
    std::vector<char> lines(rank == 0 ? sizeof line * static_cast<std::size_t>(ranks) : 0);
    MPI_Gather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, comm);
    if (rank != 0)
        return;

    int wrong_ranks = 0;
    std::fprintf(stderr, "WRONG RESULT: %s\n", what.c_str());
    for (int other = 0; other < ranks; ++other) {
        const char *text = lines.data() + sizeof line * static_cast<std::size_t>(other);
        if (*text != '\0' && ++wrong_ranks <= shown_ranks)
            std::fprintf(stderr, "  rank %d: %s\n", other, text);
    }
    if (wrong_ranks > shown_ranks)
        std::fprintf(stderr, "  and %d more ranks\n", wrong_ranks - shown_ranks);
}

} // namespace

bool verify(Repeatable &exchange, Checkable &data, std::uint64_t round, const std::string &what,
            MPI_Comm comm, double *call_seconds)
{
    data.fill(round);
    // All send buffers must be filled, and all ranks must have ended the previous check, before any
    // rank makes its call.
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    exchange.run();
    double seconds = MPI_Wtime() - start;

    std::string first;
    const std::size_t wrong = data.check(round, first);
    double agreed[] = {wrong > 0 ? 1.0 : 0.0, seconds};
    MPI_Allreduce(MPI_IN_PLACE, agreed, 2, MPI_DOUBLE, MPI_MAX, comm);
    if (call_seconds != nullptr)
        *call_seconds = agreed[1];
    if (agreed[0] == 0)
        return true;
    report(wrong, first, what, comm);
    return false;
}

} // namespace nbrhood_tools
