// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "verify_case.h"

#include "common_random.h"

#include <algorithm>
#include <iterator>
#include <sched.h>

namespace nbrhood_test {

void Context::fail(const EntryPoint *entry, const std::string &reason)
{
    if (reason_.empty()) {
        reason_ = entry == nullptr ? reason : std::string(entry->name) + ": " + reason;
        watchdog::noticed("after " + reason_);
    }
    if (entry != nullptr) {
        std::size_t row = 0; // past the table: an entry point of a library
        while (row < entry_points().size() && entry->invoke != entry_points()[row].invoke)
            ++row;
        failing_entries_ |= 1U << row;
    }
}

bool Context::check(const EntryPoint &entry, const std::string &reason)
{
    if (!reason.empty())
        fail(&entry, reason);
    return reason.empty();
}

bool Context::expect(bool condition, const std::string &reason)
{
    if (!condition)
        fail(nullptr, reason);
    return condition;
}

std::string Context::conclude()
{
    std::string failure = agree_on_failure(reason_);
    MPI_Allreduce(MPI_IN_PLACE, &failing_entries_, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD);
    const unsigned failing = failing_entries_;
    reason_.clear();
    failing_entries_ = 0;
    if (failing != 0) {
        failure += "; failing:";
        for (std::size_t row = 0; row < entry_points().size(); ++row) {
            if ((failing & 1U << row) != 0)
                failure += std::string(" ") + entry_points()[row].name;
        }
        if (failing >> entry_points().size() != 0)
            failure += " the library's";
    }
    return failure;
}

Communicator Context::create(const Topology &topology, Construction construction)
{
    watchdog::detail("creating the communicator");
    Communicator comm = make_communicator(MPI_COMM_WORLD, topology, algorithm, construction);
    if (comm) {
        const std::string mismatch = topology.mismatch_with(comm.get(), comm.rank());
        expect(mismatch.empty(), mismatch);
    }
    return comm;
}

Topology Context::random_topology(double density) const
{
    return Topology::from_edges(size, random_edges(size, density, seed), seed);
}

std::vector<EntryPoint> Context::only(Variant variant) const
{
    std::vector<EntryPoint> chosen;
    for (const EntryPoint &entry : entries) {
        if (entry.variant == variant)
            chosen.push_back(entry);
    }
    return chosen;
}

bool succeeded(Context &context, const EntryPoint *entry, int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return true;
    context.fail(entry, std::string(what) + " returned " + error_text(code));
    return false;
}

void run_pending(Context &context, Pending &pending, MPI_Comm comm, const Exercise &exercise)
{
    const EntryPoint &entry = pending.entry();
    const bool persistent = entry.variant == Variant::persistent;
    // Types that are freed after the call cannot serve a second call; a persistent request keeps
    // them.
    const bool once = !persistent && (exercise.free_types || exercise.scramble_arrays);
    for (int round = 0; round < (once ? 1 : exercise.rounds); ++round) {
        pending.prepare(round);
        if (!persistent || round == 0) {
            if (!context.check(entry, pending.invoke(comm)))
                return;
            if (exercise.scramble_arrays)
                pending.exchange().scramble_arrays();
            if (exercise.free_types)
                pending.exchange().free_types();
        }
        if (persistent && !context.check(entry, pending.start()))
            return;
        context.check(entry, pending.wait());
    }
    if (persistent)
        context.check(entry, pending.free());
}

void run_entries(Context &context, const std::vector<EntryPoint> &entries, const Communicator &comm,
                 const Topology &topology, const Workload &workload, Exercise exercise)
{
    if (!comm)
        return;
    const int rank = comm.rank();
    if (exercise.skip_isolated && !topology.has_edges(rank))
        return;
    for (const EntryPoint &entry : entries) {
        Pending pending(entry, topology, rank, workload, context.seed);
        run_pending(context, pending, comm.get(), exercise);
    }
}

void run_entries(Context &context, const Communicator &comm, const Topology &topology,
                 const Workload &workload, Exercise exercise)
{
    // auto serves collectives that the algorithm does not serve.
    std::vector<EntryPoint> served;
    std::copy_if(
        context.entries.begin(), context.entries.end(), std::back_inserter(served),
        [&](const EntryPoint &entry) { return serves(context.algorithm, entry.operation); });
    run_entries(context, served, comm, topology, workload, exercise);
}

void run_topology(Context &context, const Topology &topology, const Workload &workload,
                  Exercise exercise, Construction construction)
{
    const Communicator comm = context.create(topology, construction);
    run_entries(context, comm, topology, workload, exercise);
    watchdog::detail("freeing the communicator");
}

Workload varied_workload(std::uint64_t seed, int largest)
{
    Workload workload;
    const auto bound = static_cast<std::uint64_t>(largest) + 1;
    workload.ints = [=](Endpoint e) {
        return static_cast<int>(hash_of(seed, e.rank, e.slot) % bound);
    };
    workload.uniform_ints = [=](int component) {
        return 1 + static_cast<int>(hash_of(seed, component, -1) % (bound - 1));
    };
    return workload;
}

void linger(double seconds)
{
    for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end; sched_yield()) {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

} // namespace nbrhood_test
