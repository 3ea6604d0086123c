// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over Cartesian and graph topologies, and over topologies on parts of the world.
#include "common_random.h"
#include "verify_case.h"

#include <algorithm>
#include <numeric>

namespace nbrhood_test {

namespace {

// A grid of at most the world's size; ranks beyond it get MPI_COMM_NULL and take no part in the
// calls.
void grid(Context &context, const std::vector<int> &dims, const std::vector<int> &periods)
{
    run_topology(context, Topology::cart(dims, periods), varied_workload(context.seed));
}

void cart_periodic(Context &context)
{
    grid(context, balanced_dims(context.size, 2), {1, 1});
}

void cart_with_borders(Context &context)
{
    grid(context, balanced_dims(context.size, 2), {0, 0});
}

void cart_mixed(Context &context)
{
    grid(context, balanced_dims(context.size, 3), {1, 0, 1});
}

void cart_line(Context &context)
{
    grid(context, {context.size}, {0});
}

void cart_period_of_one(Context &context)
{
    grid(context, {context.size, 1}, {1, 1});
}

void cart_period_of_two(Context &context)
{
    grid(context, {context.size / 2, context.size > 1 ? 2 : 1}, {0, 1});
}

void cart_self_only(Context &context)
{
    grid(context, {1, 1, 1}, {1, 0, 1});
}

void cart_with_excluded_ranks(Context &context)
{
    const int ranks = context.size > 1 ? context.size - 1 : 1;
    grid(context, {ranks}, {1});
}

void cart_reordered(Context &context)
{
    Construction construction;
    construction.reorder = true;
    run_topology(context, Topology::cart(balanced_dims(context.size, 2), {1, 0}),
                 varied_workload(context.seed), {}, construction);
}

// Rows and columns of a grid; each is a Cartesian topology of its own.
void cart_sub(Context &context)
{
    const std::vector<int> dims = balanced_dims(context.size, 2), periods = {1, 0};
    const Communicator whole = context.create(Topology::cart(dims, periods));
    for (int kept = 0; kept < 2; ++kept) {
        const int remain[2] = {kept == 0, kept == 1};
        MPI_Comm made = MPI_COMM_NULL;
        watchdog::detail("MPI_Cart_sub");
        if (!succeeded(context, nullptr, MPI_Cart_sub(whole.get(), remain, &made), "MPI_Cart_sub"))
            return;
        Communicator line(made);
        if (!context.ours())
            line = duplicate_with_algorithm(line.get(), context.algorithm);
        const auto d = static_cast<std::size_t>(kept);
        const Topology topology = Topology::cart({dims[d]}, {periods[d]});
        const std::string mismatch = topology.mismatch_with(line.get(), line.rank());
        context.expect(mismatch.empty(), mismatch);
        run_entries(context, line, topology, varied_workload(context.seed));
    }
}

/// Symmetric adjacency lists from undirected edges: an edge appears in the lists of both its ends.
Topology symmetric_graph(int ranks, const EdgeList &edges, std::uint64_t seed)
{
    std::vector<std::vector<int>> adjacency(static_cast<std::size_t>(ranks));
    for (const auto &edge : edges) {
        adjacency[static_cast<std::size_t>(edge.first)].push_back(edge.second);
        if (edge.first != edge.second)
            adjacency[static_cast<std::size_t>(edge.second)].push_back(edge.first);
    }
    Random random(seed);
    for (auto &list : adjacency)
        random.shuffle(list);
    return Topology::graph(std::move(adjacency));
}

void graph_simple(Context &context)
{
    run_topology(
        context,
        symmetric_graph(context.size, random_edges(context.size, 0.2, context.seed), context.seed),
        varied_workload(context.seed));
}

void graph_with_multiple_edges(Context &context)
{
    EdgeList edges;
    for (const auto &edge : random_edges(context.size, 0.2, context.seed)) {
        for (int k = 0; k <= (edge.first + edge.second) % 3; ++k)
            edges.push_back(edge);
    }
    for (int rank = 0; rank < context.size; rank += 4)
        edges.emplace_back(rank, rank);
    run_topology(context, symmetric_graph(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

// The last rank is not part of the graph.
void graph_with_excluded_ranks(Context &context)
{
    const int ranks = std::max(1, context.size - 1);
    run_topology(context, symmetric_graph(ranks, ring_edges(ranks, 1), context.seed),
                 varied_workload(context.seed));
}

// Two halves of the world, in reversed rank order, each with its own graph.
void split_and_reversed(Context &context)
{
    MPI_Comm made = MPI_COMM_NULL;
    watchdog::detail("MPI_Comm_split");
    MPI_Comm_split(MPI_COMM_WORLD, context.rank % 2, -context.rank, &made);
    const Communicator part(made);
    const std::uint64_t seed = context.seed + static_cast<std::uint64_t>(context.rank % 2);
    const Topology topology =
        Topology::from_edges(part.size(), random_edges(part.size(), 0.5, seed), seed);
    const Communicator comm = make_communicator(part.get(), topology, context.algorithm);
    run_entries(context, comm, topology, varied_workload(seed));
}

// Only some ranks create a topology at all; the others go on without them.
void some_ranks_only(Context &context)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, context.rank % 4 == 0 ? MPI_UNDEFINED : 1, context.rank, &made);
    const Communicator part(made);
    if (!part)
        return;
    const Topology topology = Topology::from_edges(
        part.size(), random_edges(part.size(), 0.4, context.seed), context.seed);
    const Communicator comm = make_communicator(part.get(), topology, context.algorithm);
    run_entries(context, comm, topology, varied_workload(context.seed));
}

// A distributed graph created on a communicator that has a Cartesian topology already; both stay
// usable.
void dist_graph_on_cart(Context &context)
{
    const Topology below = Topology::cart(balanced_dims(context.size, 2), {1, 1});
    const Communicator cart = context.create(below);
    const Topology topology = context.random_topology(0.3);
    watchdog::detail("creating a dist graph on a cart");
    const Communicator comm = make_communicator(cart.get(), topology, context.algorithm);
    const std::string mismatch = topology.mismatch_with(comm.get(), comm.rank());
    context.expect(mismatch.empty(), mismatch);
    run_entries(context, comm, topology, varied_workload(context.seed));
    run_entries(context, cart, below, varied_workload(context.seed));
}

// A distributed graph on another distributed graph, whose calls alternate.
void dist_graph_on_dist_graph(Context &context)
{
    const auto random = [&](double density, std::uint64_t seed) {
        return Topology::from_edges(context.size, random_edges(context.size, density, seed), seed);
    };
    const Topology below = random(0.2, context.seed), topology = random(0.4, context.seed + 1);
    const Communicator first = context.create(below);
    const Communicator second = make_communicator(first.get(), topology, context.algorithm);
    run_entries(context, second, topology, varied_workload(context.seed));
    run_entries(context, first, below, varied_workload(context.seed));
}

} // namespace

const std::vector<Case> &topology_cases()
{
    static const std::vector<Case> cases = {
        {"cart-periodic", cart_periodic},
        {"cart-with-borders", cart_with_borders},
        {"cart-mixed", cart_mixed},
        {"cart-line", cart_line},
        {"cart-period-of-one", cart_period_of_one},
        {"cart-period-of-two", cart_period_of_two},
        {"cart-self-only", cart_self_only},
        {"cart-with-excluded-ranks", cart_with_excluded_ranks},
        {"cart-reordered", cart_reordered},
        {"cart-sub", cart_sub},
        {"graph", graph_simple},
        {"graph-with-multiple-edges", graph_with_multiple_edges},
        {"graph-with-excluded-ranks", graph_with_excluded_ranks},
        {"split-and-reversed", split_and_reversed},
        {"some-ranks-only", some_ranks_only},
        {"dist-graph-on-cart", dist_graph_on_cart},
        {"dist-graph-on-dist-graph", dist_graph_on_dist_graph},
    };
    return cases;
}

} // namespace nbrhood_test
