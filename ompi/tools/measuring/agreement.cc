// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "agreement.h"

#include "common/error.h"
#include "common/output_file.h"

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

void save_results(const std::string &path, const std::function<std::string()> &text, MPI_Comm comm)
{
    if (path.empty())
        return;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    agree_on_failure(rank == 0 ? replace_file(path, text()) : "", comm);
}

} // namespace nbrhood_tools
