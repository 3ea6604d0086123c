// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/halving_search.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "algorithms/distance_halving/agent_selection.h"
#include "algorithms/distance_halving/distance_halving.h"

namespace nbrhood {
namespace {

bool leads_away(const EdgeEnd &end, Rank self)
{
    return end.peer != kNoRank && end.peer != self;
}

bool receives(const Neighbourhood &own)
{
    return std::any_of(own.in.begin(), own.in.end(),
                       [&](const EdgeEnd &end) { return leads_away(end, own.rank); });
}

// The positions of a rank's destinations.
std::vector<int> positions_of(const Neighbourhood &own, const HalvingTree &tree)
{
    std::set<int> positions;
    for (const EdgeEnd &end : own.out) {
        if (leads_away(end, own.rank)) {
            positions.insert(tree.position(end.peer));
        }
    }
    return {positions.begin(), positions.end()};
}

bool share(const AgentSearch::Row &a, const AgentSearch::Row &b)
{
    return std::inner_product(
               a.begin(), a.end(), b.begin(), std::uint64_t{0},
               [](std::uint64_t x, std::uint64_t y) { return x | y; },
               [](std::uint64_t x, std::uint64_t y) { return x & y; })
           != 0;
}

} // namespace

std::vector<HalvingStep> search_agents(const std::vector<Neighbourhood> &graph,
                                       const Machine &machine, const ParameterValues &values)
{
    std::vector<char> takes_part;
    takes_part.reserve(graph.size());
    for (const Neighbourhood &own : graph) {
        takes_part.push_back(own.has_edges() ? 1 : 0);
    }
    const KnownRanks all(machine, takes_part);
    const HalvingTree tree(all, values.get(kHalvingCut), values.get(kHalvingLeaf));
    std::vector<std::vector<int>> positions;
    for (const Rank rank : tree.order()) {
        positions.push_back(positions_of(graph[static_cast<std::size_t>(rank)], tree));
    }
    std::vector<HalvingStep> steps(static_cast<std::size_t>(tree.depth()));
    for (const Halving &halving : tree.halvings()) {
        HalvingStep &step = steps[static_cast<std::size_t>(halving.depth)];
        step.ranks += halving.end - halving.first;
        for (const int half : {0, 1}) {
            const Samples samples(halving.begin_of(1 - half), halving.end_of(1 - half),
                                  values.get(kHalvingSamples));
            const auto row_of = [&](int position) {
                const std::vector<std::int32_t> bits =
                    samples.bits_of(positions[static_cast<std::size_t>(position)]);
                WordReader words(bits);
                return samples.take_row(words);
            };
            AgentSearch search;
            for (int at = halving.begin_of(half); at < halving.end_of(half); ++at) {
                search.origins.push_back(row_of(at));
            }
            for (int at = halving.begin_of(1 - half); at < halving.end_of(1 - half); ++at) {
                const Neighbourhood &own = graph[static_cast<std::size_t>(tree.at(at))];
                search.candidates.push_back(receives(own) ? row_of(at) : AgentSearch::Row());
            }
            std::set<int> serving;
            const std::vector<int> agents = select_agents(search, values.get(kHalvingOrigins));
            for (std::size_t i = 0; i < agents.size(); ++i) {
                const auto shares = [&](const AgentSearch::Row &row) {
                    return !row.empty() && share(search.origins[i], row);
                };
                step.may += agents[i] >= 0
                                    || std::any_of(search.candidates.begin(),
                                                   search.candidates.end(), shares)
                                ? 1
                                : 0;
                step.found += agents[i] >= 0 ? 1 : 0;
                step.second += agents[i] >= 0 && !serving.insert(agents[i]).second ? 1 : 0;
            }
        }
    }
    return steps;
}

} // namespace nbrhood
