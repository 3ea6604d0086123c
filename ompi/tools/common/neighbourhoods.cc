// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "neighbourhoods.h"

#include "bounds.h"
#include "error.h"
#include "generators.h"
#include "matrix_reader.h"
#include "mesh_reader.h"
#include "partition.h"

#include <algorithm>

namespace nbrhood_tools {

namespace {

std::vector<Neighbourhood> read_all(const GraphSpec &spec, int ranks)
{
    if (spec.kind == GraphKind::mesh) {
        const SparseRows mesh = read_metis_graph(spec.file);
        try {
            const std::vector<int> owner = metis_owners(mesh, ranks);
            return entries_needed(mesh, owner, owner, ranks);
        } catch (const InputError &error) {
            throw InputError(spec.file, 0, error.what());
        }
    }
    const SparseRows matrix = read_matrix_market(spec.file);
    return entries_needed(matrix, striped_owners(matrix.rows, ranks),
                          striped_owners(matrix.columns_total, ranks), ranks);
}

/// The edges between all ranks, in the mean where they are random.
double edges_expected(const GraphSpec &spec, int ranks)
{
    const double all = ranks;
    switch (spec.kind) {
    case GraphKind::random_sparse:
        return spec.density * all * (all - 1);
    case GraphKind::random_degree:
        return std::min(spec.degree, all - 1) * all;
    case GraphKind::power_law:
        return spec.degree * all;
    case GraphKind::hubs:
        return 2 * std::min(all, static_cast<double>(spec.radius)) * (all - 1);
    default: // all ranks have as many neighbours
        return all * static_cast<double>(compute_neighbourhood(spec, 0, ranks).destinations.size());
    }
}

} // namespace

Neighbourhood compute_neighbourhood(const GraphSpec &spec, int rank, int ranks)
{
    switch (spec.kind) {
    case GraphKind::random_sparse:
        return random_sparse_graph(spec.density, spec.seed, rank, ranks);
    case GraphKind::random_degree:
        return random_degree_graph(spec.degree, spec.seed, rank, ranks);
    case GraphKind::power_law:
        return power_law_graph(spec.degree, spec.seed, rank, ranks);
    case GraphKind::cliques:
        return clique_graph(spec.radius, rank, ranks);
    case GraphKind::hubs:
        return hub_graph(spec.radius, rank, ranks);
    case GraphKind::moore:
        return moore_graph(spec.dimensions, spec.radius, rank, ranks);
    case GraphKind::ring:
        return ring_graph(spec.radius, rank, ranks);
    case GraphKind::matrix:
    case GraphKind::mesh:
        break;
    }
    throw std::logic_error("graphs from files are not computed");
}

void check_graph_size(const GraphSpec &spec, int ranks)
{
    const double all = ranks;
    const bool all_pairs = spec.kind == GraphKind::random_sparse
                           || spec.kind == GraphKind::random_degree
                           || spec.kind == GraphKind::power_law;
    if (all_pairs && all * all > static_cast<double>(most_pairs))
        throw InputError(spec.text + ": would take hours for " + std::to_string(ranks)
                         + " ranks, because it looks at every pair of them (at most "
                         + std::to_string(most_pairs) + " pairs)");
    const double edges = edges_expected(spec, ranks);
    if (edges > static_cast<double>(most_edges))
        throw InputError(spec.text + ": would have about "
                         + std::to_string(static_cast<std::int64_t>(edges)) + " edges between "
                         + std::to_string(ranks) + " ranks, more than the "
                         + std::to_string(most_edges) + " that can be taken in");
}

std::vector<Neighbourhood> make_all_neighbourhoods(const GraphSpec &spec, int ranks)
{
    if (spec.has_counts())
        return read_all(spec, ranks);
    check_graph_size(spec, ranks);
    std::vector<Neighbourhood> parts;
    parts.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
        parts.push_back(compute_neighbourhood(spec, rank, ranks));
    return parts;
}

} // namespace nbrhood_tools
