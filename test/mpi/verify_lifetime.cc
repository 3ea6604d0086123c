// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over lifetimes: duplicates, communicators and argument arrays freed early, many
// communicators.
#include "common_random.h"
#include "verify_case.h"
#include "common_mpi_t.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace nbrhood_test {

namespace {

/// The ways to duplicate a communicator.
enum class Duplication { dup, idup, dup_with_info };

Communicator duplicate(const Context &context, MPI_Comm comm, Duplication how)
{
    MPI_Comm made = MPI_COMM_NULL;
    if (how == Duplication::dup) {
        MPI_Comm_dup(comm, &made);
    } else if (how == Duplication::idup) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Comm_idup(comm, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        return duplicate_with_algorithm(comm, context.algorithm);
    }
    return Communicator(made);
}

void duplicates(Context &context, const Topology &topology, Duplication how)
{
    const Workload workload = varied_workload(context.seed);
    Communicator original = context.create(topology);
    watchdog::detail("duplicating");
    Communicator copy = duplicate(context, original.get(), how);
    const std::string mismatch = topology.mismatch_with(copy.get(), copy.rank());
    context.expect(mismatch.empty(), "duplicate: " + mismatch);
    run_entries(context, copy, topology, workload);
    run_entries(context, original, topology, workload);
    Communicator copy_of_copy = duplicate(context, copy.get(), how);
    original.free();
    run_entries(context, copy, topology, workload);
    copy.free();
    run_entries(context, copy_of_copy, topology, workload);
}

void graph_duplicates(Context &context, Duplication how)
{
    duplicates(context, context.random_topology(0.3), how);
}

void cart_duplicates(Context &context)
{
    duplicates(context, Topology::cart(balanced_dims(context.size, 2), {1, 0}), Duplication::dup);
}

// Operations under way on a communicator and on its duplicate do not mix.
void duplicate_in_parallel(Context &context)
{
    const Topology topology = context.random_topology(0.3);
    const Communicator original = context.create(topology);
    const Communicator copy = duplicate(context, original.get(), Duplication::dup);
    for (const EntryPoint &entry : context.only(Variant::nonblocking)) {
        const Workload workload = varied_workload(context.seed);
        Pending first(entry, topology, context.rank, workload, context.seed);
        Pending second(entry, topology, context.rank, workload, context.seed + 1);
        first.prepare(0);
        second.prepare(0);
        // different orders on different ranks: the communicators are independent
        if (context.rank % 2 == 0)
            context.check(entry, first.invoke(original.get()));
        context.check(entry, second.invoke(copy.get()));
        if (context.rank % 2 != 0)
            context.check(entry, first.invoke(original.get()));
        context.check(entry, first.wait());
        context.check(entry, second.wait());
    }
}

// The communicator is freed right after the start or the init, and the request completes all the
// same.
void communicator_freed(Context &context, const std::vector<EntryPoint> &entries,
                        const Topology &topology, bool scramble, const Construction &construction)
{
    for (const EntryPoint &entry : entries) {
        if (entry.variant == Variant::blocking)
            continue;
        Communicator comm = context.create(topology, construction);
        Pending pending(entry, topology, context.rank, varied_workload(context.seed), context.seed);
        pending.prepare(0);
        if (!context.check(entry, pending.invoke(comm.get())))
            continue;
        if (scramble)
            pending.exchange().scramble_arrays();
        comm.free();
        const bool persistent = entry.variant == Variant::persistent;
        for (int round = 0; round < (persistent ? 3 : 1); ++round) {
            if (persistent) {
                pending.prepare(round);
                if (!context.check(entry, pending.start()))
                    break;
            }
            context.check(entry, pending.wait());
        }
        if (persistent)
            context.check(entry, pending.free());
    }
}

void communicator_freed(Context &context, bool scramble)
{
    communicator_freed(context, context.entries, context.random_topology(0.3), scramble, {});
}

/// The objects that a program frees before it starts a persistent request.
enum class Freed { types, communicator, communicator_and_arrays };

// Large blocks are relayed only in allgathers.
std::vector<EntryPoint> without_allgathers(std::vector<EntryPoint> entries)
{
    const auto is_allgather = [](const EntryPoint &entry) {
        return entry.operation == Operation::allgather || entry.operation == Operation::allgatherv;
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_allgather), entries.end());
    return entries;
}

// The same if `auto` finds no gain (when it decides at creation). It must not leave the calls to
// Open MPI, whose own persistent requests do not survive this. The info key declares large blocks,
// on a graph of many edges and on one of few.
void freed_under_auto(Context &context, Freed freed)
{
    if (!Parameters().component_present() || !context.ours())
        return;
    context.algorithm = "auto";
    Construction construction;
    construction.block_bytes = "1073741824";
    for (const Topology &topology :
         {context.random_topology(0.3),
          Topology::from_edges(context.size, {{0, context.size - 1}}, context.seed)}) {
        const Pvars pvars;
        const std::vector<EntryPoint> entries =
            without_allgathers(context.only(Variant::persistent));
        if (freed == Freed::types) {
            Exercise exercise;
            exercise.free_types = true;
            exercise.rounds = 3;
            Workload workload = varied_workload(context.seed);
            workload.ints = [](Endpoint) { return 6; };
            workload.uniform_ints = [](int) { return 6; };
            workload.type = [](Side side, int, int) {
                return side == Side::send ? TypeKind::vector3 : TypeKind::resized;
            };
            run_entries(context, entries, context.create(topology, construction), topology,
                        workload, exercise);
        } else {
            communicator_freed(context, entries, topology, freed != Freed::communicator,
                               construction);
        }
        const bool counted = pvars.count("calls") != 0;
        context.expect(counted == (topology.has_edges(context.rank) && !entries.empty()),
                       counted ? "ranks without edges count calls"
                               : "auto leaves persistent requests to Open MPI");
    }
}

// Ranks without edges skip nonblocking calls, and then the communicator is duplicated by all. A
// library that counts the tags of such calls per communicator hangs in MPI_Comm_dup, as Open MPI
// does.
void skipped_then_dup(Context &context)
{
    const EdgeList edges = edges_with_isolated_ranks(context.size, 0.5, context.seed);
    const Topology topology = Topology::from_edges(context.size, edges, context.seed);
    Exercise exercise;
    exercise.skip_isolated = true;
    const Communicator comm = context.create(topology);
    run_entries(context, comm, topology, varied_workload(context.seed), exercise);
    watchdog::detail("MPI_Comm_dup after skipped calls");
    const Communicator copy = duplicate(context, comm.get(), Duplication::dup);
    run_entries(context, copy, topology, varied_workload(context.seed), exercise);
}

// Argument arrays may be freed as soon as a call returns: callers such as PETSc free them before
// the request.
void arrays_freed(Context &context)
{
    Exercise exercise;
    exercise.scramble_arrays = true;
    exercise.rounds = 3;
    run_topology(context, context.random_topology(0.3), varied_workload(context.seed), exercise);
}

/// Resident memory of this process in KiB.
long resident_memory()
{
    std::ifstream file("/proc/self/statm");
    long total = 0, resident = 0;
    file >> total >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Creating, using and freeing communicators does not make the process grow. The first fifth is
// warming up.
void churn(Context &context)
{
    const Topology topology = context.random_topology(0.3);
    const long warm = context.churn / 5;
    long before = 0;
    for (long i = 0; i < context.churn; ++i) {
        if (i % 100 == 0)
            watchdog::state("churn/" + context.algorithm + " communicator " + std::to_string(i));
        if (i == warm)
            before = resident_memory();
        const Communicator comm = context.create(topology);
        const EntryPoint entry =
            context.entries[static_cast<std::size_t>(i) % context.entries.size()];
        Exercise once;
        once.rounds = 1;
        run_entries(context, {entry}, comm, topology, varied_workload(context.seed), once);
        if (i % 10 == 0) {
            const Communicator copy = duplicate(context, comm.get(), Duplication::dup);
            run_entries(context, {entry}, copy, topology, varied_workload(context.seed), once);
        }
    }
    const long grown = resident_memory() - before;
    // A leak of 200 bytes per communicator would be 1.6 MB at the default number; variations due to
    // allocators stay well below 4 MB.
    context.expect(grown < 4096, "resident memory grew by " + std::to_string(grown) + " KiB over "
                                     + std::to_string(context.churn - warm) + " communicators");
}

} // namespace

const std::vector<Case> &lifetime_cases()
{
    static const std::vector<Case> cases = {
        {"dup", [](Context &c) { graph_duplicates(c, Duplication::dup); }},
        {"idup", [](Context &c) { graph_duplicates(c, Duplication::idup); }},
        {"dup-with-info", [](Context &c) { graph_duplicates(c, Duplication::dup_with_info); }},
        {"cart-dup", cart_duplicates},
        {"dup-in-parallel", duplicate_in_parallel},
        {"communicator-freed", [](Context &c) { communicator_freed(c, false); }},
        {"communicator-and-arrays-freed", [](Context &c) { communicator_freed(c, true); }},
        {"auto-types-freed", [](Context &c) { freed_under_auto(c, Freed::types); }},
        {"auto-communicator-freed", [](Context &c) { freed_under_auto(c, Freed::communicator); }},
        {"auto-communicator-and-arrays-freed",
         [](Context &c) { freed_under_auto(c, Freed::communicator_and_arrays); }},
        {"arrays-freed", arrays_freed},
        {"isolated-ranks-skip-then-dup", skipped_then_dup, false},
        {"churn", churn, false},
    };
    return cases;
}

} // namespace nbrhood_test
