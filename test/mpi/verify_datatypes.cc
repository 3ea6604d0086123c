// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over datatypes: layouts, type maps that differ between the two sides, empty types, absolute
// addresses.
#include "common_random.h"
#include "verify_case.h"

namespace nbrhood_test {

namespace {

Topology dense_graph(const Context &context)
{
    EdgeList edges = random_edges(context.size, 0.4, context.seed);
    for (int rank = 0; rank < context.size; rank += 3)
        edges.emplace_back(rank, rank);
    return Topology::from_edges(context.size, edges, context.seed);
}

/// Blocks of a multiple of six ints, which every type with data divides.
Workload sixes(std::uint64_t seed)
{
    Workload workload;
    workload.ints = [=](Endpoint e) {
        return 6 * static_cast<int>(hash_of(seed, e.rank, e.slot) % 8);
    };
    workload.uniform_ints = [=](int component) {
        return 6 + 6 * static_cast<int>(hash_of(seed, component) % 8);
    };
    return workload;
}

void with_types(Context &context, TypeKind send, TypeKind recv)
{
    Workload workload = sixes(context.seed);
    workload.type = [=](Side side, int, int) { return side == Side::send ? send : recv; };
    run_topology(context, dense_graph(context), workload);
}

/// Every rank and side, and for alltoallw every slot, uses a type of its own.
Workload with_random_types(std::uint64_t seed)
{
    Workload workload = sixes(seed);
    workload.type = [=](Side side, int rank, int slot) {
        constexpr TypeKind kinds[] = {TypeKind::integer,        TypeKind::contiguous3,
                                      TypeKind::vector3,        TypeKind::resized,
                                      TypeKind::negative_bound, TypeKind::reversed};
        return kinds[hash_of(seed, rank, slot, side == Side::send) % 6];
    };
    return workload;
}

void random_types(Context &context)
{
    run_topology(context, dense_graph(context), with_random_types(context.seed));
}

void random_types_on_cart(Context &context)
{
    run_topology(context, Topology::cart(balanced_dims(context.size, 2), {1, 0}),
                 with_random_types(context.seed));
}

void bottom(Context &context)
{
    Workload workload = with_random_types(context.seed);
    workload.bottom = true;
    run_topology(context, dense_graph(context), workload);
}

// Counts are five everywhere but no data moves; nothing may be written.
void zero_size(Context &context)
{
    Workload workload;
    workload.ints = [](Endpoint) { return 0; };
    workload.uniform_ints = [](int) { return 0; };
    workload.type = [](Side side, int rank, int slot) {
        return (rank + slot + (side == Side::send)) % 2 == 0 ? TypeKind::zero_size
                                                             : TypeKind::zero_size_padded;
    };
    run_topology(context, dense_graph(context), workload);
}

// Half of the parts of the graph move data and the other half empty types, in the same calls.
void zero_size_in_some_parts(Context &context)
{
    EdgeList edges;
    for (const auto &edge : random_edges(context.size, 0.8, context.seed)) {
        if (edge.first % 2 == edge.second % 2)
            edges.push_back(edge);
    }
    Workload workload = sixes(context.seed);
    const Workload inner = workload;
    workload.ints = [=](Endpoint e) { return e.rank % 2 == 0 ? 0 : inner.ints(e); };
    workload.uniform_ints = [=](int component) {
        return component % 2 == 0 ? 0 : inner.uniform_ints(component);
    };
    workload.type = [](Side side, int rank, int) {
        if (rank % 2 == 0)
            return TypeKind::zero_size_padded;
        return side == Side::send ? TypeKind::vector3 : TypeKind::contiguous3;
    };
    run_topology(context, Topology::from_edges(context.size, edges, context.seed), workload);
}

// The types are freed while the operation runs, and before a persistent one is started.
void types_freed(Context &context)
{
    Exercise exercise;
    exercise.free_types = true;
    exercise.rounds = 3;
    run_topology(context, dense_graph(context), with_random_types(context.seed), exercise);
}

} // namespace

const std::vector<Case> &datatype_cases()
{
    static const std::vector<Case> cases = {
        {"type-vector", [](Context &c) { with_types(c, TypeKind::vector3, TypeKind::vector3); }},
        {"type-resized", [](Context &c) { with_types(c, TypeKind::resized, TypeKind::resized); }},
        {"type-negative-bound",
         [](Context &c) { with_types(c, TypeKind::negative_bound, TypeKind::negative_bound); }},
        {"type-reversed", [](Context &c) { with_types(c, TypeKind::reversed, TypeKind::integer); }},
        {"type-vector-to-contiguous",
         [](Context &c) { with_types(c, TypeKind::vector3, TypeKind::contiguous3); }},
        {"type-contiguous-to-resized",
         [](Context &c) { with_types(c, TypeKind::contiguous3, TypeKind::resized); }},
        {"types-random", random_types},
        {"types-random-on-cart", random_types_on_cart},
        {"type-bottom", bottom},
        {"type-zero-size", zero_size},
        {"type-zero-size-in-some-parts", zero_size_in_some_parts},
        {"types-freed", types_freed},
    };
    return cases;
}

} // namespace nbrhood_test
