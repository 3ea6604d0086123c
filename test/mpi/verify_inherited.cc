// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over communicators to which Open MPI hands on the topology of another communicator with
// other ranks, or with the same ranks in another order: a pattern built for one must not serve the
// other.
//
// According to MPI such a communicator has no topology. Open MPI gives it the old topology, read
// with the new rank numbers: grids and graphs stay unchanged, and each process keeps its lists of a
// distributed graph. Calls are made only if the result is a valid topology.
#include "common_random.h"
#include "verify_case.h"
#include "common_mpi_t.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace nbrhood_test {

namespace {

std::vector<int> first_ranks(int count)
{
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<int> reversed(int count)
{
    std::vector<int> ranks = first_ranks(count);
    std::reverse(ranks.begin(), ranks.end());
    return ranks;
}

/// MPI_Comm_create_group with these ranks of a communicator; only these ranks wait for each other.
/// Null on the others.
Communicator create_group(Context &context, MPI_Comm comm, const std::vector<int> &ranks)
{
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    watchdog::detail("MPI_Comm_create_group");
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
        succeeded(context, nullptr, MPI_Comm_create_group(comm, some, 5, &made),
                  "MPI_Comm_create_group");
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return Communicator(made);
}

/// Whether Open MPI gave the communicator a topology at all.
bool inherits(const Communicator &comm)
{
    int kind = MPI_UNDEFINED;
    MPI_Topo_test(comm.get(), &kind);
    if (kind == MPI_UNDEFINED && comm.rank() == 0)
        std::printf("# MPI_Comm_create_group hands no topology on: no neighbourhood calls\n");
    return kind != MPI_UNDEFINED;
}

/// Calls on a communicator that got a topology in this way; ours: the component serves them.
void call_child(Context &context, const Communicator &child, const Topology &topology, bool ours)
{
    const std::string mismatch = topology.mismatch_with(child.get(), child.rank());
    context.expect(mismatch.empty(), "child: " + mismatch);
    const Pvars pvars;
    run_entries(context, child, topology, varied_workload(context.seed));
    if (Parameters().component_present() && topology.has_edges(child.rank())) {
        const bool counted = pvars.count("calls") != 0;
        context.expect(counted == ours, counted ? "calls use what was built for other ranks"
                                                : "the pattern is not used for the same ranks");
    }
}

/// Hands the communicator's topology on to its first ranks, or to all ranks in another order. Calls
/// all entry points on the new communicator if `inherited`, the topology that it then has, is not
/// null (and Open MPI's own functions, which serve it, may have the buffers), and then on the first
/// communicator again.
void hand_on(Context &context, const Topology &topology, const std::vector<int> &ranks,
             const Topology *inherited)
{
    const bool same = ranks == first_ranks(context.size);
    const Communicator comm = context.create(topology);
    {
        const Communicator child = create_group(context, comm.get(), ranks);
        if (child) {
            MPI_Comm made = MPI_COMM_NULL;
            MPI_Comm_dup(child.get(), &made);
            const Communicator copy(made);
            if (inherited != nullptr && inherits(child) && (same || !hidden_from_open_mpi())) {
                call_child(context, child, *inherited, same && context.ours());
                call_child(context, copy, *inherited, same && context.ours());
            }
        }
    }
    run_entries(context, comm, topology, varied_workload(context.seed));
}

// The grid is not periodic, because Open MPI's own functions get short periods wrong.
Topology grid(const Context &context)
{
    return Topology::cart(balanced_dims(context.size, 2), {0, 0});
}

/// Edges only among the first half of the ranks and among the others.
EdgeList edges_in_halves(int ranks)
{
    EdgeList edges;
    const int half = (ranks + 1) / 2;
    for (const auto &edge : ring_edges(ranks, 1)) {
        if (edge.first / half == edge.second / half)
            edges.push_back(edge);
    }
    return edges;
}

Topology graph_of(int ranks, const EdgeList &edges)
{
    std::vector<std::vector<int>> adjacency(static_cast<std::size_t>(ranks));
    for (const auto &edge : edges) // ring_edges has both directions
        adjacency[static_cast<std::size_t>(edge.first)].push_back(edge.second);
    return Topology::graph(std::move(adjacency));
}

/// Every rank's lists are the same, so that they mean the same in any order of the ranks.
Topology complete(int ranks)
{
    const std::vector<int> all = first_ranks(ranks);
    return Topology::dist_graph(
        std::vector<Neighbourhood>(static_cast<std::size_t>(ranks), Neighbourhood{all, all}));
}

void same_ranks(Context &context, const Topology &topology)
{
    hand_on(context, topology, first_ranks(context.size), &topology);
}

void other_order(Context &context, const Topology &topology)
{
    hand_on(context, topology, reversed(context.size), &topology);
}

void half_of_graph(Context &context)
{
    const int half = (context.size + 1) / 2;
    EdgeList inner;
    for (const auto &edge : edges_in_halves(context.size)) {
        if (edge.first < half)
            inner.push_back(edge);
    }
    const Topology inherited = graph_of(half, inner);
    hand_on(context, graph_of(context.size, edges_in_halves(context.size)), first_ranks(half),
            &inherited);
}

void half_of_dist_graph(Context &context)
{
    const int half = (context.size + 1) / 2;
    const auto lists_of = [&](int ranks) {
        std::vector<Neighbourhood> lists(static_cast<std::size_t>(ranks));
        for (const auto &edge : edges_in_halves(context.size)) {
            if (edge.first < ranks) {
                lists[static_cast<std::size_t>(edge.first)].out.push_back(edge.second);
                lists[static_cast<std::size_t>(edge.second)].in.push_back(edge.first);
            }
        }
        return Topology::dist_graph(std::move(lists));
    };
    const Topology inherited = lists_of(half);
    hand_on(context, lists_of(context.size), first_ranks(half), &inherited);
}

// Neighbours lie beyond the new communicator, so no calls.
void part_without_calls(Context &context)
{
    const std::vector<int> few = first_ranks((context.size + 2) / 3);
    for (const Topology &topology :
         {grid(context), complete(context.size),
          graph_of(context.size, ring_edges(context.size, 1)), context.random_topology(0.5)})
        hand_on(context, topology, few, nullptr);
}

// Open MPI keeps a duplicate of a grid as the local part of an intercommunicator. The local parts
// of communicators that are split from it have the same topology with other ranks.
void intercommunicator(Context &context)
{
    const int half = context.size / 2;
    if (half == 0)
        return;
    const bool low = context.rank < half;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, context.rank, &made);
    const Communicator part(made);
    const Topology topology = Topology::cart({part.size()}, {0});
    const Communicator line = make_communicator(part.get(), topology, context.algorithm);
    watchdog::detail("MPI_Intercomm_create on a grid");
    MPI_Intercomm_create(line.get(), 0, MPI_COMM_WORLD, low ? half : 0, 6, &made);
    const Communicator between(made);
    watchdog::detail("MPI_Comm_split of the intercommunicator");
    MPI_Comm_split(between.get(), 0, -line.rank(), &made);
    const Communicator all(made);
    MPI_Comm_split(between.get(), line.rank() == 0 ? 0 : MPI_UNDEFINED, 0, &made);
    const Communicator few(made);
    watchdog::detail("MPI_Intercomm_merge");
    MPI_Intercomm_merge(all.get(), low ? 0 : 1, &made);
    const Communicator merged(made);
    int ranks = 1;
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, merged.get());
    context.expect(ranks == context.size, "the merged communicator has not all ranks");
    run_entries(context, line, topology, varied_workload(context.seed));
}

} // namespace

const std::vector<Case> &inherited_cases()
{
    static const std::vector<Case> cases = {
        {"create-group-cart", [](Context &c) { same_ranks(c, grid(c)); }},
        {"create-group-graph",
         [](Context &c) { same_ranks(c, graph_of(c.size, ring_edges(c.size, 2))); }},
        {"create-group-dist-graph", [](Context &c) { same_ranks(c, c.random_topology(0.4)); }},
        {"create-group-cart-reversed", [](Context &c) { other_order(c, grid(c)); }},
        {"create-group-graph-reversed",
         [](Context &c) { other_order(c, graph_of(c.size, ring_edges(c.size, 2))); }},
        {"create-group-dist-graph-reversed", [](Context &c) { other_order(c, complete(c.size)); }},
        {"create-group-half-of-graph", half_of_graph},
        {"create-group-half-of-dist-graph", half_of_dist_graph},
        {"create-group-without-calls", part_without_calls},
        {"intercommunicator-of-grids", intercommunicator},
    };
    return cases;
}

} // namespace nbrhood_test
