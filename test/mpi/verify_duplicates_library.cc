// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over the library call: alltoallv of copies, with indices; copies with equal indices are
// equal.
#include "verify_duplicates.h"

#include "common_random.h"

#include <nbrhood.h>

namespace nbrhood_test {

const EntryPoint &library_entry_point()
{
    static const EntryPoint entry = {
        Operation::alltoallv, Variant::persistent, "nbrhood_neighbor_alltoallv_init",
        [](const CallArguments &a, MPI_Comm comm, MPI_Request *request) {
            return nbrhood_neighbor_alltoallv_init(a.send.buffer, a.send.counts, a.send.displs,
                                                   a.send.type, a.send.indices, a.recv.buffer,
                                                   a.recv.counts, a.recv.displs, a.recv.type,
                                                   a.recv.indices, comm, MPI_INFO_NULL, request);
        }};
    return entry;
}

namespace {

SharedWorkload packed(ValueLists values, ElementKind send = ElementKind::word,
                      ElementKind recv = ElementKind::word)
{
    SharedWorkload workload;
    workload.values = std::move(values);
    workload.in = ValuesIn::packed;
    workload.send = send;
    workload.recv = recv;
    return workload;
}

void library_identical(Context &context)
{
    run_shared(context, sharing_graph(context), packed(identical_values(5)));
}

void library_overlapping(Context &context)
{
    run_shared(context, sharing_graph(context), packed(overlapping_values(context.seed, 12)));
}

// Duplicates within blocks and between them, in any order.
void random_sets(Context &context)
{
    const Topology topology = sharing_graph(context);
    for (int total : {1, 8, 60, 100000}) {
        const std::uint64_t seed = hash_of(context.seed, total);
        run_shared(context, topology, packed(random_values(seed, total, 30)));
    }
}

void elements(Context &context)
{
    const Topology topology = sharing_graph(context);
    const ValueLists values = random_values(context.seed, 25, 20);
    for (ElementKind kind : {ElementKind::byte, ElementKind::integer, ElementKind::integers3,
                             ElementKind::doubles3, ElementKind::doubles6})
        run_shared(context, topology, packed(values, kind, kind));
    const std::pair<ElementKind, ElementKind> pairs[] = {
        {ElementKind::spaced3, ElementKind::integers3},
        {ElementKind::integers3, ElementKind::descending3},
        {ElementKind::descending3, ElementKind::spaced3},
        {ElementKind::record_spread, ElementKind::record},
        {ElementKind::integers2_below, ElementKind::integers2},
        {ElementKind::integers2, ElementKind::integers2_below}};
    for (const auto &[send, recv] : pairs)
        run_shared(context, topology, packed(values, send, recv));
}

// Sizes on both sides of the limits between packed, unpacked and direct blocks.
void sizes(Context &context)
{
    const int combining = static_cast<int>(context.combining_threshold / 8);
    const std::vector<int> counts = {
        0, 1, 31, 32, 33, combining - 1, combining, combining + 1, 3 * combining};
    const std::uint64_t seed = context.seed;
    run_shared(context, sharing_graph(context), packed([=](Endpoint source) {
                   const std::uint64_t h = hash_of(seed, source.rank, source.slot);
                   std::vector<int> values = value_range(0, counts[h % counts.size()]);
                   Random(h).shuffle(values);
                   return values;
               }));
}

void without_indices(Context &context)
{
    const Topology topology = sharing_graph(context);
    for (Indices given : {Indices::none, Indices::send_only, Indices::recv_only}) {
        SharedWorkload workload = packed(random_values(context.seed, 12, 15));
        workload.indices = given;
        run_shared(context, topology, workload);
    }
}

// Every second rank gives no indices.
void indices_on_some_ranks(Context &context)
{
    SharedWorkload workload = packed(random_values(context.seed, 12, 15));
    workload.indices = context.rank % 2 == 0 ? Indices::both : Indices::none;
    run_shared(context, sharing_graph(context), workload);
}

void library_on_cart(Context &context)
{
    run_shared(context, Topology::cart(balanced_dims(context.size, 2), {0, 0}),
               packed(random_values(context.seed, 12, 9)));
}

void library_with_isolated_ranks(Context &context)
{
    const EdgeList edges = edges_with_isolated_ranks(context.size, 0.5, context.seed);
    Exercise exercise;
    exercise.skip_isolated = true;
    run_shared(context, Topology::from_edges(context.size, edges, context.seed),
               packed(random_values(context.seed, 12, 9)), exercise);
}

/// Several requests of the library at once on a communicator; the same list on all ranks.
std::vector<Pending> make_several(const Context &context, const Topology &topology, int count)
{
    std::vector<Pending> all;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t seed = hash_of(context.seed, i);
        SharedWorkload workload = packed(random_values(seed, 10 + 20 * i, 25));
        if (i % 3 == 2) {
            workload.send = ElementKind::spaced3;
            workload.recv = ElementKind::integers3;
        }
        all.push_back(
            make_shared_pending(context, library_entry_point(), topology, workload, seed));
    }
    return all;
}

/// Rounds of starts and waits in orders that differ between ranks.
void restart(Context &context, std::vector<Pending> &all, int rounds)
{
    const auto rank = static_cast<std::uint64_t>(context.rank);
    for (int round = 1; round <= rounds; ++round) {
        for (std::size_t i : random_order(all.size(), hash_of(rank, round))) {
            all[i].prepare(round);
            context.check(all[i].entry(), all[i].start());
        }
        for (std::size_t i : random_order(all.size(), hash_of(rank, -round)))
            context.check(all[i].entry(), all[i].wait());
    }
}

bool library_initialise(Context &context, std::vector<Pending> &all, MPI_Comm comm)
{
    for (Pending &pending : all) {
        if (!context.check(pending.entry(), pending.invoke(comm)))
            return false;
    }
    return true;
}

void release(Context &context, std::vector<Pending> &all)
{
    const auto rank = static_cast<std::uint64_t>(context.rank);
    for (std::size_t i : random_order(all.size(), rank))
        context.check(all[i].entry(), all[i].free());
}

void several_requests(Context &context)
{
    const Topology topology = sharing_graph(context);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_several(context, topology, 5);
    if (!library_initialise(context, all, comm.get()))
        return;
    restart(context, all, 20);
    release(context, all);
}

// Indices, counts, datatypes and the communicator are freed before the first start.
void library_freed_early(Context &context)
{
    const Topology topology = sharing_graph(context);
    Communicator comm = context.create(topology);
    std::vector<Pending> all = make_several(context, topology, 5);
    if (!library_initialise(context, all, comm.get()))
        return;
    for (Pending &pending : all) {
        pending.exchange().scramble_arrays();
        pending.exchange().free_types();
    }
    comm.free();
    restart(context, all, 4);
    release(context, all);
}

// Communicators that the component leaves to Open MPI, because of its own parameter or one of Open
// MPI's.
void without_the_component(Context &context)
{
    const Topology topology = sharing_graph(context);
    for (const char *algorithm : {"default", stock}) {
        const Communicator comm = make_communicator(MPI_COMM_WORLD, topology, algorithm);
        std::vector<Pending> all = make_several(context, topology, 3);
        if (!library_initialise(context, all, comm.get()))
            return;
        restart(context, all, 3);
        release(context, all);
    }
}

} // namespace

const std::vector<Case> &duplicate_library_cases()
{
    static const std::vector<Case> cases = {
        {"duplicates-library-identical", library_identical},
        {"duplicates-library-overlapping", library_overlapping},
        {"duplicates-library-random-sets", random_sets},
        {"duplicates-library-elements", elements},
        {"duplicates-library-size", sizes},
        {"duplicates-library-without-indices", without_indices},
        {"duplicates-library-indices-on-some-ranks", indices_on_some_ranks},
        {"duplicates-library-on-cart", library_on_cart},
        {"duplicates-library-with-isolated-ranks", library_with_isolated_ranks},
        {"duplicates-library-several-requests", several_requests},
        {"duplicates-library-freed-early", library_freed_early},
        {"duplicates-library-without-the-component", without_the_component},
    };
    return cases;
}

} // namespace nbrhood_test
