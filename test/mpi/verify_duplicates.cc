// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over alltoallv and alltoallw in which the same bytes of the send buffer go to several
// neighbours.
#include "verify_duplicates.h"

#include "common_random.h"

#include <algorithm>
#include <numeric>

namespace nbrhood_test {

std::vector<int> value_range(int first, int count)
{
    std::vector<int> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), first);
    return values;
}

ValueLists identical_values(int count)
{
    return [=](Endpoint) { return value_range(0, count); };
}

ValueLists overlapping_values(std::uint64_t seed, int largest)
{
    return [=](Endpoint source) {
        Random random(hash_of(seed, source.rank, source.slot));
        const int step = 1 + largest / 4;
        return value_range(source.slot * step, random.below(largest + 1));
    };
}

ValueLists random_values(std::uint64_t seed, int total, int largest)
{
    return [=](Endpoint source) {
        Random random(hash_of(seed, source.rank, source.slot));
        std::vector<int> values(static_cast<std::size_t>(random.below(largest + 1)));
        for (int &value : values)
            value = random.below(total);
        return values;
    };
}

Topology sharing_graph(const Context &context)
{
    EdgeList edges = random_edges(context.size, 0.5, context.seed);
    const std::size_t once = edges.size();
    for (std::size_t i = 0; i < once; i += 5)
        edges.push_back(edges[i]);
    for (int rank = 0; rank < context.size; rank += 3)
        edges.emplace_back(rank, rank);
    return Topology::from_edges(context.size, edges, context.seed);
}

std::vector<EntryPoint> shared_entries(const Context &context, ValuesIn in)
{
    if (in == ValuesIn::packed)
        return {library_entry_point()};
    std::vector<EntryPoint> chosen;
    for (const EntryPoint &entry : context.entries) {
        if (entry.operation
            == (in == ValuesIn::types ? Operation::alltoallw : Operation::alltoallv))
            chosen.push_back(entry);
    }
    return chosen;
}

Pending make_shared_pending(const Context &context, const EntryPoint &entry,
                            const Topology &topology, const SharedWorkload &workload,
                            std::uint64_t seed)
{
    return Pending(entry, std::make_unique<SharedExchange>(topology, context.rank, workload, seed));
}

void run_shared(Context &context, const Topology &topology, const SharedWorkload &workload,
                Exercise exercise)
{
    const Communicator comm = context.create(topology);
    if (!comm || (exercise.skip_isolated && !topology.has_edges(comm.rank())))
        return;
    for (const EntryPoint &entry : shared_entries(context, workload.in)) {
        Pending pending = make_shared_pending(context, entry, topology, workload, context.seed);
        run_pending(context, pending, comm.get(), exercise);
    }
    watchdog::detail("freeing the communicator");
}

namespace {

/// Alltoallv from overlapping displacements.
SharedWorkload windows(ValueLists values, ElementKind send = ElementKind::word,
                       ElementKind recv = ElementKind::word)
{
    SharedWorkload workload;
    workload.values = std::move(values);
    workload.send = send;
    workload.recv = recv;
    return workload;
}

/// Alltoallw from types that pick values out of a vector.
SharedWorkload typed(ValueLists values, ElementKind send = ElementKind::word,
                     ElementKind recv = ElementKind::word)
{
    SharedWorkload workload = windows(std::move(values), send, recv);
    workload.in = ValuesIn::types;
    return workload;
}

void identical(Context &context)
{
    run_shared(context, sharing_graph(context), windows(identical_values(5)));
}

void overlapping(Context &context)
{
    run_shared(context, sharing_graph(context), windows(overlapping_values(context.seed, 12)));
}

// Each range lies within that of the neighbour before.
void nested(Context &context)
{
    run_shared(context, sharing_graph(context), windows([](Endpoint source) {
                   const int cut = std::min(source.slot, 10);
                   return value_range(cut, 21 - 2 * cut);
               }));
}

// Neighbours in even slots share, those in odd ones have values of their own.
void some_neighbours(Context &context)
{
    run_shared(context, sharing_graph(context), windows([](Endpoint source) {
                   return source.slot % 2 == 0 ? value_range(0, 6)
                                               : value_range(100 + 4 * source.slot, 4);
               }));
}

void with_empty_blocks(Context &context)
{
    const std::uint64_t seed = context.seed;
    run_shared(context, sharing_graph(context), windows([=](Endpoint source) {
                   const int kind = static_cast<int>(hash_of(seed, source.rank, source.slot) % 3);
                   return value_range(kind, kind == 0 ? 0 : 7);
               }));
}

// Ranks of one part of the graph have empty blocks, in the same calls.
void some_ranks_empty(Context &context)
{
    run_shared(context, sharing_graph(context), windows([](Endpoint source) {
                   return value_range(0, source.rank % 2 == 0 ? 0 : 9);
               }));
}

/// Counts of 8-byte values on both sides of the limits between packed, unpacked and direct blocks.
std::vector<int> counts_at_limits(const Context &context)
{
    const int combining = static_cast<int>(context.combining_threshold / 8);
    return {0, 1, 31, 32, 33, combining - 1, combining, combining + 1, 3 * combining};
}

// Shared blocks of one size each.
void limits_identical(Context &context)
{
    const Topology topology = sharing_graph(context);
    for (int count : counts_at_limits(context))
        run_shared(context, topology, windows(identical_values(count)));
}

// All sizes in one call, all from the beginning of the vector: some neighbours' copies are
// combined, and others go direct.
void limits_mixed(Context &context)
{
    const std::vector<int> counts = counts_at_limits(context);
    const std::uint64_t seed = context.seed;
    const auto count_of = [=](Endpoint source) {
        return counts[hash_of(seed, source.rank, source.slot) % counts.size()];
    };
    run_shared(context, sharing_graph(context),
               windows([=](Endpoint source) { return value_range(0, count_of(source)); }));
    // Several relayed blocks together are longer than a relay's buffer.
    run_shared(context, sharing_graph(context), windows([=](Endpoint source) {
                   return value_range(40 * source.slot, count_of(source));
               }));
}

void with_elements(Context &context, bool by_types, ElementKind send, ElementKind recv)
{
    const Topology topology = sharing_graph(context);
    run_shared(context, topology,
               by_types ? typed(random_values(context.seed, 30, 20), send, recv)
                        : windows(overlapping_values(context.seed, 20), send, recv));
}

void elements_contiguous(Context &context, bool by_types)
{
    for (ElementKind kind : {ElementKind::byte, ElementKind::integer, ElementKind::integers3,
                             ElementKind::doubles3, ElementKind::doubles6})
        with_elements(context, by_types, kind, kind);
}

// Holes and descending addresses at the sender, at the receiver, or at both.
void elements_with_holes(Context &context, bool by_types)
{
    with_elements(context, by_types, ElementKind::spaced3, ElementKind::integers3);
    with_elements(context, by_types, ElementKind::integers3, ElementKind::descending3);
    with_elements(context, by_types, ElementKind::descending3, ElementKind::spaced3);
    with_elements(context, by_types, ElementKind::record, ElementKind::record_spread);
}

void elements_below_origin(Context &context, bool by_types)
{
    with_elements(context, by_types, ElementKind::integers2_below, ElementKind::integers2);
    with_elements(context, by_types, ElementKind::integers2, ElementKind::integers2_below);
}

void on_cart(Context &context)
{
    const Topology topology = Topology::cart(balanced_dims(context.size, 2), {0, 0});
    run_shared(context, topology, windows(overlapping_values(context.seed, 9)));
    run_shared(context, topology, typed(random_values(context.seed, 12, 9)));
}

void with_isolated_ranks(Context &context)
{
    const EdgeList edges = edges_with_isolated_ranks(context.size, 0.5, context.seed);
    const Topology topology = Topology::from_edges(context.size, edges, context.seed);
    Exercise exercise;
    exercise.skip_isolated = true;
    run_shared(context, topology, windows(identical_values(4)), exercise);
    run_shared(context, topology, typed(random_values(context.seed, 12, 9)), exercise);
}

void lists(Context &context)
{
    run_shared(context, sharing_graph(context), typed(random_values(context.seed, 40, 25)));
}

// Every neighbour gets the same values, each in an order of its own; the last three repeat the
// first ones.
void lists_in_other_order(Context &context)
{
    const std::uint64_t seed = context.seed;
    run_shared(context, sharing_graph(context), typed([=](Endpoint source) {
                   std::vector<int> values = value_range(0, 15);
                   Random(hash_of(seed, source.rank, source.slot)).shuffle(values);
                   values.insert(values.end(), {values[0], values[1], values[2]});
                   return values;
               }));
}

// Every second or third value, ascending or descending: types with a constant stride.
void lists_with_stride(Context &context)
{
    run_shared(context, sharing_graph(context), typed([](Endpoint source) {
                   std::vector<int> values;
                   const int stride = 1 + (source.rank + source.slot) % 3;
                   for (int k = 0; k < 8; ++k)
                       values.push_back((source.slot % 2 == 0 ? k : 7 - k) * stride);
                   return values;
               }));
}

// The same eight bytes as an int64 for some neighbours and as eight characters for others.
void other_types_for_same_bytes(Context &context)
{
    SharedWorkload workload = typed(identical_values(6));
    workload.view = [](Endpoint source) {
        return static_cast<View>((source.rank + source.slot) % 3);
    };
    run_shared(context, sharing_graph(context), workload);
}

// Words that begin at any byte: the words of two neighbours overlap by a part of a word.
void words_overlap_partially(Context &context)
{
    SharedWorkload workload = typed(
        [](Endpoint source) { return value_range(3 * source.slot, 16 + 8 * (source.slot % 2)); },
        ElementKind::byte, ElementKind::byte);
    workload.view = [](Endpoint source) {
        return source.slot % 3 == 2 ? View::characters : View::words;
    };
    run_shared(context, sharing_graph(context), workload);
}

void lists_from_bottom(Context &context)
{
    SharedWorkload workload =
        typed(random_values(context.seed, 20, 15), ElementKind::spaced3, ElementKind::integers3);
    workload.bottom = true;
    run_shared(context, sharing_graph(context), workload);
}

void large_lists(Context &context)
{
    const Topology topology = sharing_graph(context);
    const std::vector<int> counts = counts_at_limits(context);
    const std::uint64_t seed = context.seed;
    run_shared(context, topology, typed([=](Endpoint source) {
                   const std::uint64_t h = hash_of(seed, source.rank, source.slot);
                   std::vector<int> values = value_range(0, counts[h % counts.size()]);
                   Random(h).shuffle(values);
                   return values;
               }));
}

} // namespace

const std::vector<Case> &duplicate_cases()
{
    static const std::vector<Case> cases = {
        {"duplicates-identical", identical},
        {"duplicates-overlapping", overlapping},
        {"duplicates-nested", nested},
        {"duplicates-some-neighbours", some_neighbours},
        {"duplicates-with-empty-blocks", with_empty_blocks},
        {"duplicates-some-ranks-empty", some_ranks_empty},
        {"duplicates-size-identical", limits_identical},
        {"duplicates-size-mixed", limits_mixed},
        {"duplicates-elements", [](Context &c) { elements_contiguous(c, false); }},
        {"duplicates-elements-with-holes", [](Context &c) { elements_with_holes(c, false); }},
        {"duplicates-elements-below-origin", [](Context &c) { elements_below_origin(c, false); }},
        {"duplicates-on-cart", on_cart},
        {"duplicates-with-isolated-ranks", with_isolated_ranks},
        {"duplicates-lists", lists},
        {"duplicates-lists-in-other-order", lists_in_other_order},
        {"duplicates-lists-with-stride", lists_with_stride},
        {"duplicates-lists-of-elements", [](Context &c) { elements_contiguous(c, true); }},
        {"duplicates-lists-with-holes", [](Context &c) { elements_with_holes(c, true); }},
        {"duplicates-lists-below-origin", [](Context &c) { elements_below_origin(c, true); }},
        {"duplicates-lists-from-bottom", lists_from_bottom},
        {"duplicates-lists-size", large_lists},
        {"duplicates-other-types", other_types_for_same_bytes},
        {"duplicates-partial-words", words_overlap_partially},
    };
    return cases;
}

} // namespace nbrhood_test
