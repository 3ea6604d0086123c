// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over shapes of distributed graphs.
#include "common_random.h"
#include "verify_case.h"

namespace nbrhood_test {

namespace {

void random_graph(Context &context, double density)
{
    const Topology topology = context.random_topology(density);
    run_topology(context, topology, varied_workload(context.seed));
}

void moore(Context &context)
{
    const EdgeList edges = moore_edges(balanced_dims(context.size, 2));
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

void open_grid(Context &context, int dimensions, int radius)
{
    const EdgeList edges = grid_edges(balanced_dims(context.size, dimensions), radius);
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

void ring_with_duplicates(Context &context)
{
    const EdgeList edges = ring_edges(context.size, 3);
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

void self_edges(Context &context)
{
    EdgeList edges = random_edges(context.size, 0.2, context.seed);
    for (int rank = 0; rank < context.size; ++rank) {
        for (int k = 0; k < rank % 3; ++k)
            edges.emplace_back(rank, rank);
    }
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

// Every third rank has no edges and never calls, as PETSc and dolfinx do.
void isolated_ranks_skip(Context &context)
{
    const EdgeList edges = edges_with_isolated_ranks(context.size, 0.5, context.seed);
    Exercise exercise;
    exercise.rounds = 6;
    exercise.skip_isolated = true;
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed), exercise);
}

// The same graph, but the isolated ranks take part with empty arguments.
void isolated_ranks_call(Context &context)
{
    const EdgeList edges = edges_with_isolated_ranks(context.size, 0.5, context.seed);
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

void one_directional(Context &context)
{
    EdgeList edges;
    const int half = context.size / 2;
    for (const auto &edge : random_edges(context.size, 0.7, context.seed)) {
        if (edge.first < half && edge.second >= half)
            edges.push_back(edge);
    }
    Exercise exercise;
    exercise.rounds = 10;
    exercise.skip_isolated = true;
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed), exercise);
}

void star(Context &context)
{
    EdgeList edges;
    for (int rank = 0; rank < context.size; ++rank) {
        edges.emplace_back(0, rank);
        if (rank % 2 == 1)
            edges.emplace_back(rank, 0);
    }
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

// One rank has an edge to and from everybody, the others only two neighbours.
void one_rank_with_all(Context &context)
{
    EdgeList edges = ring_edges(context.size, 1);
    const int hub = context.size - 1;
    for (int rank = 0; rank < context.size; ++rank) {
        edges.emplace_back(rank, hub);
        edges.emplace_back(hub, rank);
    }
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed));
}

EdgeList in_parts(const Context &context, int parts, double density)
{
    EdgeList edges;
    for (const auto &edge : random_edges(context.size, density, context.seed)) {
        if (edge.first % parts == edge.second % parts)
            edges.push_back(edge);
    }
    return edges;
}

// Parts of the graph use different counts and types in one call, and one part sends nothing at all.
void disconnected_parts(Context &context)
{
    const EdgeList edges = in_parts(context, 3, 0.9);
    const std::uint64_t seed = context.seed;
    Workload workload;
    workload.ints = [=](Endpoint e) {
        return e.rank % 3 == 0 ? 0 : 6 * static_cast<int>(hash_of(seed, e.rank, e.slot) % 50);
    };
    workload.uniform_ints = [](int component) {
        return component % 3 == 0 ? 0 : 6 * (component % 3);
    };
    workload.type = [](Side side, int rank, int) {
        if (rank % 3 == 1)
            return TypeKind::integer;
        return side == Side::send ? TypeKind::vector3 : TypeKind::resized;
    };
    Exercise exercise;
    exercise.rounds = 4;
    run_topology(context, Topology::from_edges(context.size, edges, context.seed), workload,
                 exercise);
}

void degree_above_size(Context &context)
{
    EdgeList edges;
    for (int k = 0; k < 3; ++k) {
        const EdgeList more =
            random_edges(context.size, 0.8, context.seed + static_cast<std::uint64_t>(k));
        edges.insert(edges.end(), more.begin(), more.end());
    }
    run_topology(context, Topology::from_edges(context.size, edges, context.seed),
                 varied_workload(context.seed, 9));
}

void null_neighbours(Context &context)
{
    std::vector<Neighbourhood> lists(static_cast<std::size_t>(context.size));
    for (const auto &edge : random_edges(context.size, 0.4, context.seed)) {
        lists[static_cast<std::size_t>(edge.first)].out.push_back(edge.second);
        lists[static_cast<std::size_t>(edge.second)].in.push_back(edge.first);
    }
    Random random(context.seed);
    for (Neighbourhood &list : lists) {
        list.in.push_back(MPI_PROC_NULL);
        list.out.insert(list.out.begin(), 1 + static_cast<std::size_t>(random.below(2)),
                        MPI_PROC_NULL);
        random.shuffle(list.in);
        random.shuffle(list.out);
    }
    run_topology(context, Topology::dist_graph(std::move(lists)), varied_workload(context.seed));
}

void empty_graph(Context &context)
{
    run_topology(context, Topology::from_edges(context.size, {}, context.seed));
}

void weighted(Context &context)
{
    Construction construction;
    construction.weighted = true;
    run_topology(context, context.random_topology(0.3), varied_workload(context.seed), {},
                 construction);
}

void reordered(Context &context)
{
    Construction construction;
    construction.reorder = true;
    construction.weighted = true;
    run_topology(context, context.random_topology(0.3), varied_workload(context.seed), {},
                 construction);
}

// Each rank names edges of other ranks. The implementation chooses the order of the neighbours, so
// the test queries it.
void not_adjacent(Context &context)
{
    const EdgeList edges = random_edges(context.size, 0.2, context.seed);
    std::vector<int> sources, degrees, destinations;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (static_cast<int>(i) % context.size != context.rank)
            continue;
        sources.push_back(edges[i].first);
        degrees.push_back(1);
        destinations.push_back(edges[i].second);
    }
    const int named = static_cast<int>(sources.size());
    for (auto *list : {&sources, &degrees, &destinations})
        list->push_back(0);
    MPI_Info info = algorithm_info(context.algorithm);
    MPI_Comm made = MPI_COMM_NULL;
    watchdog::detail("MPI_Dist_graph_create");
    const int code = MPI_Dist_graph_create(MPI_COMM_WORLD, named, sources.data(), degrees.data(),
                                           destinations.data(), MPI_UNWEIGHTED, info, 0, &made);
    MPI_Info_free(&info);
    if (!succeeded(context, nullptr, code, "MPI_Dist_graph_create"))
        return;
    const Communicator comm(made);
    const Topology topology = Topology::gather(comm.get());
    std::size_t in = 0, out = 0;
    for (const auto &edge : edges) {
        in += edge.second == context.rank;
        out += edge.first == context.rank;
    }
    const Neighbourhood &mine = topology.at(context.rank);
    context.expect(mine.in.size() == in && mine.out.size() == out,
                   "the communicator reports a wrong degree");
    run_entries(context, comm, topology, varied_workload(context.seed));
}

// The info key that keeps the component out of a communicator is given on every third rank only:
// then the component stays out on all. A rank that did not notice would wait for messages that
// nobody sends. (If creation sends no messages, no rank can notice.)
void excluded_on_some_ranks(Context &context)
{
    if (Parameters().builds_later()
        && (context.algorithm == "auto" || context.algorithm == "direct"))
        return;
    const Topology topology = context.random_topology(0.3);
    Construction construction;
    construction.excluded = context.rank % 3 == 1;
    const Communicator comm =
        make_communicator(MPI_COMM_WORLD, topology, context.algorithm, construction);
    run_entries(context, comm, topology, varied_workload(context.seed));
}

} // namespace

const std::vector<Case> &graph_cases()
{
    static const std::vector<Case> cases = {
        {"random-0.02", [](Context &c) { random_graph(c, 0.02); }},
        {"random-0.1", [](Context &c) { random_graph(c, 0.1); }},
        {"random-0.3", [](Context &c) { random_graph(c, 0.3); }},
        {"random-0.6", [](Context &c) { random_graph(c, 0.6); }},
        {"random-0.9", [](Context &c) { random_graph(c, 0.9); }},
        {"moore", moore},
        {"open-grid-2d", [](Context &c) { open_grid(c, 2, 2); }},
        {"open-grid-3d", [](Context &c) { open_grid(c, 3, 1); }},
        {"band", [](Context &c) { open_grid(c, 1, 4); }},
        {"ring-with-duplicates", ring_with_duplicates},
        {"self-edges", self_edges},
        {"isolated-ranks-skip", isolated_ranks_skip},
        {"isolated-ranks-call", isolated_ranks_call},
        {"one-directional", one_directional},
        {"star", star},
        {"one-rank-with-all", one_rank_with_all},
        {"disconnected-parts", disconnected_parts},
        {"degree-above-size", degree_above_size},
        {"null-neighbours", null_neighbours},
        {"empty-graph", empty_graph},
        {"weighted", weighted},
        {"reordered", reordered},
        {"dist-graph-not-adjacent", not_adjacent},
        {"excluded-on-some-ranks", excluded_on_some_ranks},
    };
    return cases;
}

} // namespace nbrhood_test
