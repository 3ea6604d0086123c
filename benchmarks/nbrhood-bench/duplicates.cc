// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "duplicates.h"

#include "measuring/communicators.h"

#include <set>
#include <utility>

namespace nbrhood_tools::bench {

DuplicateFacts count_duplicates(const Neighbourhood &part, MPI_Comm comm)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::vector<int> nodes = nodes_of_ranks(comm);
    std::int64_t sums[] = {0, 0};
    std::set<std::pair<int, int>> seen; // node and entry
    for (std::size_t edge = 0; edge < part.destinations.size(); ++edge) {
        const int node = nodes[static_cast<std::size_t>(part.destinations[edge])];
        if (node == nodes[static_cast<std::size_t>(rank)])
            continue;
        for (int entry : part.destination_entries[edge]) {
            ++sums[0];
            sums[1] += seen.emplace(node, entry).second ? 0 : 1;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, comm);
    return {sums[0], sums[1]};
}

} // namespace nbrhood_tools::bench
