// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "simulation.h"

#include <algorithm>

namespace nbrhood_tools::builds {

namespace {

using Graph = std::vector<nbrhood::Neighbourhood>;

/// A breadth-first search from one rank through its component. steps: by rank, -1 if not yet
/// reached. Returns the ranks in the order in which they were reached.
std::vector<nbrhood::Rank> search(const Graph &graph, nbrhood::Rank from, std::vector<int> &steps)
{
    std::vector<nbrhood::Rank> reached{from};
    steps[static_cast<std::size_t>(from)] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const nbrhood::Neighbourhood &own = graph[static_cast<std::size_t>(reached[next])];
        const int further = steps[static_cast<std::size_t>(own.rank)] + 1;
        for (const auto *ends : {&own.in, &own.out})
            for (const nbrhood::EdgeEnd &end : *ends) {
                if (end.peer == nbrhood::kNoRank || steps[static_cast<std::size_t>(end.peer)] >= 0)
                    continue;
                steps[static_cast<std::size_t>(end.peer)] = further;
                reached.push_back(end.peer);
            }
    }
    return reached;
}

} // namespace

int greatest_distance(const Graph &graph)
{
    std::vector<int> first(graph.size(), -1);
    std::vector<int> second(graph.size(), -1);
    int greatest = 0;
    for (const nbrhood::Neighbourhood &own : graph) {
        if (first[static_cast<std::size_t>(own.rank)] >= 0)
            continue;
        const nbrhood::Rank end = search(graph, own.rank, first).back();
        const nbrhood::Rank other_end = search(graph, end, second).back();
        greatest = std::max(greatest, second[static_cast<std::size_t>(other_end)]);
    }
    return greatest;
}

} // namespace nbrhood_tools::builds
