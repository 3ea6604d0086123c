// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over block sizes: empty, around the combining threshold and the preposted size, and
// large.
#include "common_random.h"
#include "verify_case.h"

#include <algorithm>
#include <utility>

namespace nbrhood_test {

namespace {

constexpr long int_size = sizeof(int);

/// Every block has the same number of bytes.
Workload constant_workload(long bytes)
{
    Workload workload;
    const int ints = static_cast<int>(std::max(0L, bytes) / int_size);
    workload.ints = [=](Endpoint) { return ints; };
    workload.uniform_ints = [=](int) { return ints; };
    return workload;
}

/// Each edge picks one of the sizes.
Workload mixed_workload(std::vector<long> bytes, std::uint64_t seed)
{
    Workload workload;
    const auto pick = [=](std::uint64_t h) {
        return static_cast<int>(bytes[h % bytes.size()] / int_size);
    };
    workload.ints = [=](Endpoint e) { return pick(hash_of(seed, e.rank, e.slot)); };
    workload.uniform_ints = [=](int component) { return pick(hash_of(seed, component)); };
    return workload;
}

void zero_counts(Context &context)
{
    run_topology(context, context.random_topology(0.4), constant_workload(0));
}

// Most blocks are empty, so some messages that a relay expects have no payload.
void mostly_zero_counts(Context &context)
{
    Workload workload;
    const std::uint64_t seed = context.seed;
    workload.ints = [=](Endpoint e) { return hash_of(seed, e.rank, e.slot) % 5 == 0 ? 7 : 0; };
    run_topology(context, context.random_topology(0.6), workload);
}

void around_threshold(Context &context, long difference)
{
    run_topology(context, context.random_topology(0.5),
                 constant_workload(context.combining_threshold + difference));
}

void mixed_around_threshold(Context &context)
{
    const long t = context.combining_threshold;
    const Workload workload = mixed_workload({t - 8, t, t + 8, 0, 4, 4 * t}, context.seed);
    run_topology(context, context.random_topology(0.5), workload);
}

// Blocks are small enough to be combined, and their sum over some edges is a little below or above
// the size of a relay's buffer.
void around_relay_capacity(Context &context)
{
    const Topology topology = context.random_topology(0.8);
    const Communicator comm = context.create(topology);
    const EntryPoint entries[] = {entry_point(Operation::alltoallv, Variant::blocking),
                                  entry_point(Operation::alltoallv, Variant::nonblocking),
                                  entry_point(Operation::alltoallv, Variant::persistent)};
    for (long edges : {1, 3, 12, 48}) {
        const long near = std::min(context.relay_capacity / edges, context.combining_threshold);
        for (long difference : {-8L, 0L, 8L}) {
            Exercise once;
            once.rounds = 1;
            run_entries(context, {std::begin(entries), std::end(entries)}, comm, topology,
                        constant_workload(near + difference), once);
        }
    }
}

// Blocks longer than any message that TCP sends eagerly.
void large_blocks(Context &context)
{
    run_topology(context, context.random_topology(0.2), constant_workload(70 * 1024));
}

// Blocks as large as in applications with GPUs: each rank sends to two adjacent ranks half the
// communicator away, and to one nearby.
void huge_blocks(Context &context)
{
    EdgeList edges;
    for (int rank = 0; rank < context.size; ++rank) {
        for (const int away : {context.size / 2, context.size / 2 + 1, 2}) {
            edges.emplace_back(rank, (rank + away) % context.size);
        }
    }
    const Topology topology = Topology::from_edges(context.size, edges, context.seed);
    const Communicator comm = context.create(topology);
    std::vector<EntryPoint> entries;
    for (const Variant variant : {Variant::blocking, Variant::nonblocking, Variant::persistent}) {
        entries.push_back(entry_point(Operation::allgather, variant));
        entries.push_back(entry_point(Operation::allgatherv, variant));
    }
    Exercise once;
    once.rounds = 1;
    run_entries(context, entries, comm, topology, constant_workload(8 << 20), once);
}

// Large blocks on few edges and small ones on the others of the same call.
void large_and_small_blocks(Context &context)
{
    const Workload workload = mixed_workload({8, 16, 24, 4, 40, 70 * 1024}, context.seed);
    run_topology(context, context.random_topology(0.4), workload);
}

// Sizes change from call to call on one communicator, so no state of the previous call may be used.
void sizes_change(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    Exercise once;
    once.rounds = 1;
    for (int largest : {1, 3000, 2, 40, 1, 1500}) {
        run_entries(context, comm, topology,
                    varied_workload(context.seed + static_cast<std::uint64_t>(largest), largest),
                    once);
    }
}

// Blocks that are large in some calls in a row and small in others, each at its own time: blocking
// calls leave large ones out of combined messages for a while. Nonblocking calls, which do not,
// come in between.
void large_blocks_come_and_go(Context &context)
{
    const Topology topology = context.random_topology(0.3);
    const Communicator comm = context.create(topology);
    std::vector<EntryPoint> entries;
    for (const Operation operation :
         {Operation::allgatherv, Operation::alltoallv, Operation::alltoallw}) {
        entries.push_back(entry_point(operation, Variant::blocking));
    }
    Exercise once;
    once.rounds = 1;
    const long large = context.combining_threshold + 8;
    const std::uint64_t seed = context.seed;
    // One operation of 32 sends all sizes again.
    for (int call = 0; call < 36; ++call) {
        Workload workload;
        workload.ints = [=](Endpoint e) {
            const auto block = hash_of(seed, e.rank, e.slot);
            const auto era =
                static_cast<int>(block % 100) + call / (1 + static_cast<int>(block % 9));
            return static_cast<int>((era % 3 == 0 ? 40 : large) / int_size);
        };
        workload.uniform_ints = [](int) { return 1; };
        run_entries(context, entries, comm, topology, workload, once);
        if (call % 12 == 0) { // nonblocking calls always include all blocks
            run_entries(context, {entry_point(Operation::alltoallv, Variant::nonblocking)}, comm,
                        topology, workload, once);
        }
    }
}

// Sizes that all ranks know, from sizes that gain from relays to sizes that do not and back: `auto`
// serves them by different algorithms. Earlier calls may still be under way on other ranks.
void known_sizes_change(Context &context)
{
    const Topology topology = context.random_topology(0.5);
    const Communicator comm = context.create(topology);
    std::vector<EntryPoint> entries;
    for (const Operation operation : {Operation::allgather, Operation::alltoall}) {
        for (const Variant variant :
             {Variant::blocking, Variant::nonblocking, Variant::persistent, Variant::blocking}) {
            entries.push_back(entry_point(operation, variant));
        }
    }
    Exercise once;
    once.rounds = 1;
    for (const long bytes : {8L, 100000L, 0L, 2000L, 8200L, 16L}) {
        run_entries(context, entries, comm, topology, constant_workload(bytes), once);
    }
}

Topology complete_graph(int ranks)
{
    EdgeList edges;
    for (int source = 0; source < ranks; ++source) {
        for (int destination = 0; destination < ranks; ++destination) {
            if (source != destination) {
                edges.emplace_back(source, destination);
            }
        }
    }
    return Topology::from_edges(ranks, edges, 0);
}

// Sources and destinations of this rank, equally many.
std::pair<std::vector<int>, std::vector<int>> neighbours_of(const Communicator &comm)
{
    int degree = 0, out_degree = 0, weighted = 0;
    MPI_Dist_graph_neighbors_count(comm.get(), &degree, &out_degree, &weighted);
    const auto slots = static_cast<std::size_t>(degree);
    std::vector<int> sources(slots), destinations(slots), weights(slots);
    MPI_Dist_graph_neighbors(comm.get(), degree, sources.data(), weights.data(), degree,
                             destinations.data(), weights.data());
    return {sources, destinations};
}

// A blocking or nonblocking call; returns the code of the call or of its wait.
int allgather(const Communicator &comm, bool blocking, const std::vector<int> &sent, int sends,
              std::vector<int> &got, int receives)
{
    if (blocking) {
        return MPI_Neighbor_allgather(sent.data(), sends, MPI_INT, got.data(), receives, MPI_INT,
                                      comm.get());
    }
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Ineighbor_allgather(sent.data(), sends, MPI_INT, got.data(), receives,
                                             MPI_INT, comm.get(), &request);
    const int ended = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? ended : code;
}

// One slot of the last rank is shorter than the block of rank 0 for it: the last rank's call
// returns MPI_ERR_TRUNCATE. The calls of all other ranks succeed, whichever of them relay, and the
// error has no effect on the next call.
void block_too_long(Context &context)
{
    if (context.algorithm == stock || context.algorithm == "default") {
        return; // the codes of Open MPI's own functions differ from case to case
    }
    const int last = context.size - 1;
    const Communicator comm = context.create(complete_graph(context.size));
    const auto [sources, destinations] = neighbours_of(comm);
    const std::size_t slots = sources.size();
    for (int call = 0; call < 4; ++call) {
        const bool too_long = call % 2 == 0;
        std::vector<int> counts(slots, 2), displacements, sent, got(2 * slots, -1);
        for (std::size_t slot = 0; slot < slots; ++slot) {
            displacements.push_back(static_cast<int>(2 * slot));
            sent.insert(sent.end(), {context.rank, 100 * destinations[slot] + call});
        }
        std::vector<int> received = counts;
        for (std::size_t slot = 0; slot < slots; ++slot) {
            received[slot] = too_long && context.rank == last && sources[slot] == 0 ? 1 : 2;
        }
        const int code = MPI_Neighbor_alltoallv(sent.data(), counts.data(), displacements.data(),
                                                MPI_INT, got.data(), received.data(),
                                                displacements.data(), MPI_INT, comm.get());
        int error = MPI_SUCCESS;
        MPI_Error_class(code, &error);
        const bool mine = too_long && context.rank == last && last > 0;
        context.expect(error == (mine ? MPI_ERR_TRUNCATE : MPI_SUCCESS),
                       "call " + std::to_string(call) + " returned error class "
                           + std::to_string(error));
        for (std::size_t slot = 0; slot < slots && !mine; ++slot) {
            context.expect(got[2 * slot] == sources[slot]
                               && got[2 * slot + 1] == 100 * context.rank + call,
                           "call " + std::to_string(call) + ": wrong data from rank "
                               + std::to_string(sources[slot]));
        }
    }
}

// Calls with different sizes under way at the same time on one communicator, blocking ones among
// them.
void known_sizes_overlap(Context &context)
{
    const Communicator comm = context.create(complete_graph(context.size));
    const std::vector<int> sources = neighbours_of(comm).first;
    const std::size_t slots = sources.size();
    const std::size_t sizes[] = {2, 20000, 128, 50000, 1, 1000};
    for (int round = 0; round < 3; ++round) {
        std::vector<std::vector<int>> sent, got;
        std::vector<MPI_Request> requests;
        for (const std::size_t ints : sizes) {
            sent.emplace_back(ints, 1000 * context.rank + round);
            got.emplace_back(ints * slots + 1, -1);
            const int count = static_cast<int>(ints);
            if (got.size() % 3 == 0) {
                MPI_Neighbor_allgather(sent.back().data(), count, MPI_INT, got.back().data(), count,
                                       MPI_INT, comm.get());
            } else {
                requests.emplace_back();
                MPI_Ineighbor_allgather(sent.back().data(), count, MPI_INT, got.back().data(),
                                        count, MPI_INT, comm.get(), &requests.back());
            }
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        for (const std::vector<int> &received : got) {
            const std::size_t ints = slots == 0 ? 1 : received.size() / slots;
            bool right = received.back() == -1;
            for (std::size_t i = 0; i < ints * slots; ++i) {
                right = right && received[i] == 1000 * sources[i / ints] + round;
            }
            context.expect(right, "wrong data in blocks of " + std::to_string(ints) + " ints");
        }
    }
}

// In every other call rank 0 sends less than all others receive, which MPI forbids: with relays
// that know the sizes it is an error, else it may pass. No rank waits, and the error has no effect
// on the next call. (In neighbor_alltoall Open MPI's bindings notice the error, and rank 0 stays
// out of the call.)
void two_sizes(Context &context)
{
    const Communicator comm = context.create(complete_graph(context.size));
    const std::vector<int> sources = neighbours_of(comm).first;
    const std::size_t slots = sources.size();
    for (int call = 0; call < 8; ++call) {
        const bool blocking = call < 4;
        const bool wrong = call % 2 == 0 && context.size > 1;
        std::vector<int> sent(2 * slots + 2, 1000 * context.rank + call), got(2 * slots + 1, -1);
        const int count = wrong && context.rank == 0 ? 1 : 2;
        const int code = allgather(comm, blocking, sent, count, got, 2);
        const std::string name = "call " + std::to_string(call);
        context.expect(got.back() == -1, name + " wrote beyond its buffer");
        context.expect(wrong || code == MPI_SUCCESS, name + " failed");
        for (std::size_t slot = 0; slot < slots && !wrong; ++slot) {
            context.expect(got[2 * slot] == 1000 * sources[slot] + call
                               && got[2 * slot + 1] == got[2 * slot],
                           name + ": wrong data from rank " + std::to_string(sources[slot]));
        }
    }
}

// A graph whose edges do not make a rank's send size equal to its receive size: even ranks, in a
// row, send twice as much as odd ones. MPI allows this (Open MPI's bindings do not allow it in
// MPI_Neighbor_alltoall). There are enough calls for a pattern that is built meanwhile to serve
// some of them.
void unequal_sides(Context &context)
{
    EdgeList edges;
    for (int rank = 0; rank + 1 < context.size; ++rank) {
        edges.emplace_back(rank, rank + 1);
        edges.emplace_back(rank + 1, rank);
    }
    for (int rank = 0; rank + 3 < context.size; ++rank) { // to other nodes, too
        edges.emplace_back(rank, rank + 3);
        edges.emplace_back(rank + 3, rank);
    }
    const Communicator comm = context.create(Topology::from_edges(context.size, edges, 0));
    const std::vector<int> sources = neighbours_of(comm).first;
    const std::size_t slots = sources.size();
    const int sends = context.rank % 2 == 0 ? 2 : 1;
    const int receives = 3 - sends;
    const auto width = static_cast<std::size_t>(receives);
    for (int call = 0; call < 300; ++call) {
        std::vector<int> sent(2 * slots + 2, 1000 * context.rank + call);
        std::vector<int> got(width * slots + 1, -1);
        const int code = allgather(comm, call % 2 == 0, sent, sends, got, receives);
        const std::string name = "call " + std::to_string(call);
        context.expect(code == MPI_SUCCESS, name + " failed");
        context.expect(got.back() == -1, name + " wrote beyond its buffer");
        for (std::size_t i = 0; i < width * slots; ++i) {
            context.expect(got[i] == 1000 * sources[i / width] + call,
                           name + ": wrong data from rank " + std::to_string(sources[i / width]));
        }
    }
}

} // namespace

const std::vector<Case> &size_cases()
{
    static const std::vector<Case> cases = {
        {"size-zero", zero_counts},
        {"size-mostly-zero", mostly_zero_counts},
        {"size-threshold-less", [](Context &c) { around_threshold(c, -8); }},
        {"size-threshold", [](Context &c) { around_threshold(c, 0); }},
        {"size-threshold-more", [](Context &c) { around_threshold(c, 8); }},
        {"size-threshold-mixed", mixed_around_threshold},
        {"size-relay-capacity", around_relay_capacity},
        {"size-large", large_blocks},
        {"size-large-and-small", large_and_small_blocks},
        {"size-8-mebibytes", huge_blocks, false},
        {"sizes-change", sizes_change},
        {"sizes-come-and-go", large_blocks_come_and_go},
        {"sizes-known-change", known_sizes_change},
        {"sizes-known-overlap", known_sizes_overlap},
        {"size-too-long", block_too_long},
        {"size-two", two_sizes},
        {"size-unequal-sides", unequal_sides},
    };
    return cases;
}

} // namespace nbrhood_test
