// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// --graph of the benchmarks and nbrhood-explain: accepted graphs are computed for a few ranks.
#include "fuzz_target.h"

#include <algorithm>

#include "common/error.h"
#include "common/graph.h"

using nbrhood_fuzz::demand;

namespace {

void check_neighbours(const std::vector<int> &neighbours, int rank, int ranks)
{
    std::vector<int> sorted = neighbours;
    std::sort(sorted.begin(), sorted.end());
    demand(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
           "each neighbour is there once");
    demand(sorted.empty() || (sorted.front() >= 0 && sorted.back() < ranks),
           "a neighbour is one of the ranks");
    demand(std::find(sorted.begin(), sorted.end(), rank) == sorted.end(),
           "no rank is its own neighbour");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    // As an argument of a program.
    const std::string text = nbrhood_fuzz::text_of(data, size).c_str();
    nbrhood_tools::GraphSpec spec;
    try {
        spec = nbrhood_tools::parse_graph_spec(text);
    } catch (const nbrhood_tools::OptionError &refusal) {
        nbrhood_fuzz::demand_place(refusal.what(), "--graph " + text + ":", 1);
        return 0;
    }
    // A name that ends with '/' is no file; the reader says so.
    demand(spec.text == text && (!spec.short_name().empty() || text.back() == '/'),
           "a graph has the name that it was given");
    if (spec.has_counts()) {
        return 0; // the readers of files have targets of their own
    }
    for (const int ranks : {1, 2, 7, 64}) {
        for (const int rank : {0, ranks / 2, ranks - 1}) {
            const nbrhood_tools::Neighbourhood part =
                nbrhood_tools::compute_neighbourhood(spec, rank, ranks);
            check_neighbours(part.sources, rank, ranks);
            check_neighbours(part.destinations, rank, ranks);
        }
    }
    return 0;
}
