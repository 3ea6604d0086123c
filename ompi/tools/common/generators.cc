// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "generators.h"

#include "hash.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace nbrhood_tools {

namespace {

/// Gives every edge the only entry of its source; --block-bytes then sets the block size.
void use_equal_blocks(Neighbourhood &part)
{
    part.source_counts.assign(part.sources.size(), 1);
    part.destination_counts.assign(part.destinations.size(), 1);
    part.own_entries = 1;
    part.source_own_entries.assign(part.sources.size(), 1);
    part.source_entries.assign(part.sources.size(), {0});
    part.destination_entries.assign(part.destinations.size(), {0});
}

bool pair_is_edge(double probability, std::uint64_t seed, int from, int to)
{
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
    // A double holds 53 bits, so density 1 takes every pair and 0 takes none.
    const double uniform = static_cast<double>(mix(mix(seed) ^ mix(pair + 1)) >> 11) * 0x1.0p-53;
    return uniform < probability;
}

/// Extents of a grid of `size` ranks, descending, equal to those of Open MPI's MPI_Dims_create, so
/// that a graph is the same with and without MPI. The prime factors, the greatest first, each go to
/// the extent that is the smallest at that time.
std::vector<int> grid_extents(int size, int dimensions)
{
    std::vector<int> factors;
    int rest = size;
    for (int factor = 2; factor <= rest / factor; ++factor)
        for (; rest % factor == 0; rest /= factor)
            factors.push_back(factor);
    if (rest > 1)
        factors.push_back(rest);

    std::vector<int> extents(static_cast<std::size_t>(dimensions), 1);
    for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor)
        *std::min_element(extents.begin(), extents.end()) *= *factor;
    std::sort(extents.begin(), extents.end(), std::greater<>());
    return extents;
}

} // namespace

Neighbourhood random_sparse_graph(double density, std::uint64_t seed, int rank, int size)
{
    Neighbourhood part;
    for (int other = 0; other < size; ++other) {
        if (other == rank)
            continue;
        if (pair_is_edge(density, seed, other, rank))
            part.sources.push_back(other);
        if (pair_is_edge(density, seed, rank, other))
            part.destinations.push_back(other);
    }
    use_equal_blocks(part);
    return part;
}

Neighbourhood random_degree_graph(double degree, std::uint64_t seed, int rank, int size)
{
    return random_sparse_graph(std::min(1.0, degree / std::max(1, size - 1)), seed, rank, size);
}

Neighbourhood moore_graph(int dimensions, int radius, int rank, int size)
{
    const std::vector<int> extent = grid_extents(size, dimensions);

    // Row-major coordinates, as MPI_Cart_create numbers them.
    std::vector<int> centre(extent.size());
    for (int d = dimensions - 1, rest = rank; d >= 0; --d) {
        centre[d] = rest % extent[d];
        rest /= extent[d];
    }

    // In a dimension shorter than 2 * radius + 1 offsets wrap onto each other: each coordinate
    // counts once, at its first offset.
    std::vector<std::vector<int>> reached(extent.size());
    for (std::size_t d = 0; d < extent.size(); ++d)
        for (int step = 0; step < std::min(2 * radius + 1, extent[d]); ++step)
            reached[d].push_back(((centre[d] - radius + step) % extent[d] + extent[d]) % extent[d]);

    Neighbourhood part;
    std::vector<std::size_t> at(extent.size(), 0);
    for (bool more = true; more;) {
        int neighbour = 0;
        for (std::size_t d = 0; d < extent.size(); ++d)
            neighbour = neighbour * extent[d] + reached[d][at[d]];
        if (neighbour != rank)
            part.destinations.push_back(neighbour);

        more = false;
        for (std::size_t d = extent.size(); d-- > 0 && !more;) {
            more = at[d] + 1 < reached[d].size();
            at[d] = more ? at[d] + 1 : 0;
        }
    }
    part.sources = part.destinations; // the neighbourhood is symmetric
    use_equal_blocks(part);
    return part;
}

Neighbourhood ring_graph(int reach, int rank, int size)
{
    Neighbourhood part;
    std::set<int> seen{rank};
    // On a small ring the two sides meet; further steps would only repeat ranks.
    for (int step = 1; step <= std::min(reach, size); ++step)
        for (int neighbour : {(rank - step + size) % size, (rank + step) % size})
            if (seen.insert(neighbour).second)
                part.destinations.push_back(neighbour);
    part.sources = part.destinations;
    use_equal_blocks(part);
    return part;
}

Neighbourhood clique_graph(int members, int rank, int size)
{
    const int first = rank - rank % members;
    Neighbourhood part;
    for (int other = first; other < size && other - first < members; ++other)
        if (other != rank)
            part.destinations.push_back(other);
    part.sources = part.destinations;
    use_equal_blocks(part);
    return part;
}

Neighbourhood hub_graph(int hubs, int rank, int size)
{
    const int count = std::min(hubs, size);
    std::vector<bool> is_hub(static_cast<std::size_t>(size), false);
    for (std::int64_t hub = 0; hub < count; ++hub)
        is_hub[static_cast<std::size_t>(hub * size / count)] = true;

    Neighbourhood part;
    for (int other = 0; other < size; ++other)
        if (other != rank && (is_hub[rank] || is_hub[other]))
            part.destinations.push_back(other);
    part.sources = part.destinations;
    use_equal_blocks(part);
    return part;
}

Neighbourhood power_law_graph(double degree, std::uint64_t seed, int rank, int size)
{
    // Each rank's place in the order of weights comes from the seed alone, so all agree on it.
    std::vector<int> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        return std::pair(mix(mix(seed) + a), a) < std::pair(mix(mix(seed) + b), b);
    });
    constexpr double exponent = 2.5;
    std::vector<double> weight(order.size());
    double sum = 0;
    for (std::size_t place = 0; place < order.size(); ++place)
        sum += weight[order[place]] = std::pow(static_cast<double>(place + 1), -1 / (exponent - 1));
    const double scale = degree * size / (sum * sum);

    Neighbourhood part;
    for (int other = 0; other < size; ++other) {
        if (other == rank)
            continue;
        const double probability = scale * weight[rank] * weight[other];
        if (pair_is_edge(probability, seed, other, rank))
            part.sources.push_back(other);
        if (pair_is_edge(probability, seed, rank, other))
            part.destinations.push_back(other);
    }
    use_equal_blocks(part);
    return part;
}

} // namespace nbrhood_tools
