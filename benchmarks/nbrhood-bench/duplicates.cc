// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "duplicates.h"

#include <set>
#include <utility>

namespace nbrhood_tools::bench {

namespace {

/// The node of each rank, named by the lowest rank on it.
std::vector<int> nodes_of(MPI_Comm comm)
{
    int lowest = 0;
    int size = 0;
    MPI_Comm_rank(comm, &lowest);
    MPI_Comm_size(comm, &size);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> nodes(static_cast<std::size_t>(size));
    MPI_Allgather(&lowest, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
    return nodes;
}

} // namespace

DuplicateFacts count_duplicates(const Neighbourhood &part, MPI_Comm comm)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::vector<int> nodes = nodes_of(comm);
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
