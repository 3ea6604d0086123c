// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph_facts.h"

#include <algorithm>
#include <numeric>

namespace nbrhood_tools {

GraphFacts summarise(const Neighbourhood &part, MPI_Comm comm)
{
    const auto out_degree = static_cast<std::int64_t>(part.destinations.size());
    const auto in_degree = static_cast<std::int64_t>(part.sources.size());
    const std::int64_t sent = std::accumulate(part.destination_counts.begin(),
                                              part.destination_counts.end(), std::int64_t{0});
    const bool isolated = out_degree == 0 && in_degree == 0;
    std::int64_t sums[] = {out_degree, sent, isolated ? 1 : 0, out_degree * part.own_entries};
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, comm);

    int most = 0;
    for (int count : part.destination_counts)
        most = std::max(most, count);
    int maxima[] = {static_cast<int>(std::max(out_degree, in_degree)), most, part.own_entries};
    MPI_Allreduce(MPI_IN_PLACE, maxima, 3, MPI_INT, MPI_MAX, comm);

    int size = 0;
    MPI_Comm_size(comm, &size);
    GraphFacts facts;
    facts.edges = sums[0];
    facts.mean_degree = static_cast<double>(sums[0]) / size;
    facts.isolated_ranks = static_cast<int>(sums[2]);
    facts.max_degree = maxima[0];
    facts.max_entries = maxima[1];
    facts.max_own_entries = maxima[2];
    if (facts.edges > 0) {
        facts.mean_entries = static_cast<double>(sums[1]) / static_cast<double>(facts.edges);
        facts.mean_gathered_entries =
            static_cast<double>(sums[3]) / static_cast<double>(facts.edges);
    }
    return facts;
}

} // namespace nbrhood_tools
