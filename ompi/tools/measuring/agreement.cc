// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "agreement.h"

#include "common/error.h"

namespace nbrhood_tools {

void agree_on_failure(const std::string &message, MPI_Comm comm)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::string text = rank == 0 ? message : "";
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, comm);
    if (length == 0)
        return;
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
    throw InputError(text);
}

} // namespace nbrhood_tools
