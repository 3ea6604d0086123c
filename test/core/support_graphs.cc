// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The random graphs, machines and settings of support.h.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "support.h"

namespace nbrhood::test {

int draw(Random &random, int low, int high)
{
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

bool chance(Random &random, double p)
{
    return static_cast<double>(random() >> 11) * 0x1p-53 < p;
}

void Lists::add(Rank source, Rank destination)
{
    destinations[static_cast<std::size_t>(source)].push_back(destination);
    sources[static_cast<std::size_t>(destination)].push_back(source);
}

Graph match(const Lists &lists)
{
    Graph graph;
    for (std::size_t r = 0; r < lists.sources.size(); ++r) {
        graph.push_back(
            match_by_order(static_cast<Rank>(r), lists.sources[r], lists.destinations[r]));
    }
    return graph;
}

Lists dense_lists(Random &random, int ranks, double density)
{
    Lists lists(ranks);
    for (Rank s = 0; s < ranks; ++s) {
        for (Rank d = 0; d < ranks; ++d) {
            if (s != d && chance(random, density)) {
                lists.add(s, d);
            }
        }
    }
    return lists;
}

Lists sparse_lists(Random &random, int ranks, int degree)
{
    Lists lists(ranks);
    for (Rank s = 0; s < ranks; ++s) {
        for (int i = draw(random, 0, 2 * degree); i > 0; --i) {
            lists.add(s, draw(random, 0, ranks - 1));
        }
    }
    return lists;
}

Graph cartesian_graph(const std::vector<int> &extents, const std::vector<bool> &periodic)
{
    const int ranks = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<int>());
    Graph graph;
    for (Rank rank = 0; rank < ranks; ++rank) {
        std::vector<Rank> neighbours;
        int stride = ranks;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            stride /= extents[d];
            const int here = rank / stride % extents[d];
            for (int step : {-1, 1}) {
                const int there = here + step;
                const bool inside = there >= 0 && there < extents[d];
                const int wrapped = (there + extents[d]) % extents[d];
                neighbours.push_back(inside || periodic[d] ? rank + (wrapped - here) * stride
                                                           : kNoRank);
            }
        }
        graph.push_back(match_cartesian(rank, neighbours));
    }
    return graph;
}

namespace {

Graph random_cartesian(Random &random, int ranks)
{
    std::vector<int> extents;
    std::vector<bool> periodic;
    int rest = ranks;
    for (int factor = 2; factor <= rest; ++factor) {
        while (rest % factor == 0) {
            rest /= factor;
            if (!extents.empty() && chance(random, 0.4)) {
                extents.back() *= factor;
            } else {
                extents.push_back(factor);
            }
        }
    }
    if (extents.empty() || chance(random, 0.3)) {
        extents.push_back(1);
    }
    std::shuffle(extents.begin(), extents.end(), random);
    for (std::size_t d = 0; d < extents.size(); ++d) {
        periodic.push_back(chance(random, 0.6));
    }
    return cartesian_graph(extents, periodic);
}

Lists ring(Random &random, int ranks)
{
    Lists lists(ranks);
    const int reach = draw(random, 1, 3);
    for (Rank r = 0; r < ranks; ++r) {
        for (int step = 1; step <= reach; ++step) {
            for (int copies = draw(random, 1, 3); copies > 0; --copies) {
                lists.add(r, (r + step) % ranks);
            }
        }
    }
    return lists;
}

Lists star(Random &random, int ranks)
{
    Lists lists(ranks);
    const Rank centre = draw(random, 0, ranks - 1);
    const int direction = draw(random, 0, 2);
    for (Rank r = 0; r < ranks; ++r) {
        if (r != centre && direction != 0) {
            lists.add(r, centre);
        }
        if (r != centre && direction != 1) {
            lists.add(centre, r);
        }
    }
    return lists;
}

// Edges only inside interleaved or consecutive parts.
Lists parts(Random &random, int ranks)
{
    Lists lists(ranks);
    const int count = draw(random, 2, 5);
    const bool interleaved = chance(random, 0.5);
    const double density = chance(random, 0.5) ? 0.3 : 0.8;
    const auto part = [&](Rank r) { return interleaved ? r % count : r * count / ranks; };
    for (Rank s = 0; s < ranks; ++s) {
        for (Rank d = 0; d < ranks; ++d) {
            if (part(s) == part(d) && chance(random, density)) {
                lists.add(s, d);
            }
        }
    }
    return lists;
}

Lists one_directional(Random &random, int ranks)
{
    Lists lists(ranks);
    const double density = 0.05 + 0.6 * static_cast<double>(draw(random, 0, 10)) / 10;
    for (Rank s = 0; s < ranks; ++s) {
        for (Rank d = s + 1; d < ranks; ++d) {
            if (chance(random, density)) {
                lists.add(s, d);
            }
        }
    }
    return lists;
}

Lists random_lists(Random &random, int ranks)
{
    static constexpr double kDensities[] = {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
    switch (draw(random, 0, 6)) {
    case 0:
        return ring(random, ranks);
    case 1:
        return star(random, ranks);
    case 2:
        return parts(random, ranks);
    case 3:
        return one_directional(random, ranks);
    case 4:
        return sparse_lists(random, ranks, std::min(ranks + 2, 12));
    default:
        return dense_lists(random, ranks, kDensities[draw(random, 0, 7)]);
    }
}

void isolate(Lists &lists, Rank rank)
{
    const auto drop = [&](std::vector<Rank> &ends) {
        ends.erase(std::remove(ends.begin(), ends.end(), rank), ends.end());
    };
    for (std::size_t r = 0; r < lists.sources.size(); ++r) {
        drop(lists.sources[r]);
        drop(lists.destinations[r]);
    }
    lists.sources[static_cast<std::size_t>(rank)].clear();
    lists.destinations[static_cast<std::size_t>(rank)].clear();
}

} // namespace

void set_random_weights(Random &random, Graph &graph)
{
    const auto weights_of = [&](const std::vector<EdgeEnd> &ends) {
        std::vector<std::int32_t> weights;
        for (std::size_t slot = 0; slot < ends.size(); ++slot) {
            weights.push_back(chance(random, 0.1)
                                  ? (chance(random, 0.5) ? -1 : kGreatestWeight)
                                  : static_cast<std::int32_t>(std::pow(10, draw(random, 0, 5))));
        }
        return weights;
    };
    for (Neighbourhood &own : graph) {
        set_weights(own, weights_of(own.in), weights_of(own.out));
    }
}

Graph random_graph(Random &random, int ranks)
{
    if (chance(random, 0.12)) {
        return random_cartesian(random, ranks);
    }
    Lists lists = random_lists(random, ranks);
    if (chance(random, 0.3)) {
        for (int i = draw(random, 1, ranks); i > 0; --i) {
            const Rank rank = draw(random, 0, ranks - 1);
            lists.add(rank, rank);
        }
    }
    if (chance(random, 0.3)) {
        for (int i = draw(random, 1, 1 + ranks / 3); i > 0; --i) {
            isolate(lists, draw(random, 0, ranks - 1));
        }
    }
    const bool nowhere = chance(random, 0.3);
    const bool shuffled = chance(random, 0.5);
    for (auto *all : {&lists.sources, &lists.destinations}) {
        for (std::vector<Rank> &ends : *all) {
            for (int i = nowhere ? draw(random, 0, 3) : 0; i > 0; --i) {
                ends.insert(ends.begin() + draw(random, 0, static_cast<int>(ends.size())),
                            -draw(random, 1, 3));
            }
            if (shuffled) {
                std::shuffle(ends.begin(), ends.end(), random);
            }
        }
    }
    Graph graph = match(lists);
    if (chance(random, 0.3)) {
        set_random_weights(random, graph);
    }
    return graph;
}

Machine random_machine(Random &random, int ranks)
{
    std::vector<int> nodes;
    const int kind = draw(random, 0, 5);
    const int largest = kind == 0 ? ranks : kind == 1 ? 1 : draw(random, 1, std::max(2, ranks / 2));
    for (int left = ranks; left > 0; left -= nodes.back()) {
        const bool full = kind < 4;
        nodes.push_back(std::min(left, full ? largest : draw(random, 1, largest)));
    }
    return make_machine(nodes, chance(random, 0.5) ? Placement::by_slot : Placement::by_node);
}

Tuning random_tuning(Random &random)
{
    static constexpr int kRelays[] = {0, 1, 2, 5};
    Tuning tuning;
    tuning.values.set(kRelaysPerRegion, kRelays[draw(random, 0, 3)]);
    tuning.values.set(kCombineLocal, draw(random, -1, 1));
    tuning.ranks_per_core = draw(random, 1, 8) / 4.0;
    tuning.block_bytes = std::pow(10, draw(random, 0, 6));
    return tuning;
}

IsLarge random_large(Random &random)
{
    switch (draw(random, 0, 2)) {
    case 0:
        return [](const Edge &) { return false; };
    case 1:
        return [](const Edge &) { return true; };
    default: {
        const std::uint64_t seed = random();
        return [seed](const Edge &edge) { return (mix(hash_of(edge) ^ seed) & 1U) != 0; };
    }
    }
}

} // namespace nbrhood::test
