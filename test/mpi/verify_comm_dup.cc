// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over duplicates that are made while their original gets a pattern, or gives it up again.
// Duplicates that are made late enough inherit its decision from their first call on, without a
// build of their own, and all ranks of a connected part must agree on which these are.
#include "common_random.h"
#include "verify_case.h"
#include "common_mpi_t.h"

#include <algorithm>
#include <unistd.h>

namespace nbrhood_test {

namespace {

constexpr int kStepsOfDuplicates = 24;
constexpr double kLingerOfDuplicates = 2e-2; // seconds
constexpr int kOutstandingOfDuplicates = 12;
constexpr int kParents = 20;
constexpr int kBursts = 3;
constexpr int kTries = 20;
constexpr int kCallsOfTry = 16;

/// Duplicates a communicator in one of three ways.
Communicator duplicate(Context &context, MPI_Comm comm, int way)
{
    MPI_Comm made = MPI_COMM_NULL;
    if (way == 0) {
        succeeded(context, nullptr, MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
    } else if (way == 1) {
        succeeded(context, nullptr, MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made),
                  "MPI_Comm_dup_with_info");
    } else {
        MPI_Request request = MPI_REQUEST_NULL;
        succeeded(context, nullptr, MPI_Comm_idup(comm, &made, &request), "MPI_Comm_idup");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return Communicator(made);
}

Pending make_call(const Context &context, const Topology &topology, Variant variant, int round)
{
    Pending call(entry_point(Operation::alltoallv, variant), topology, context.rank,
                 varied_workload(context.seed), context.seed);
    call.prepare(round);
    return call;
}

void begin(Context &context, Pending &call, const Communicator &comm)
{
    context.check(call.entry(), call.invoke(comm.get()));
}

void wait(Context &context, Pending &call)
{
    context.check(call.entry(), call.wait());
}

/// Whether a value is the same on all ranks of each connected part.
bool is_equal(const Topology &topology, unsigned long long value)
{
    std::vector<unsigned long long> all(static_cast<std::size_t>(topology.size()));
    MPI_Allgather(&value, 1, MPI_UNSIGNED_LONG_LONG, all.data(), 1, MPI_UNSIGNED_LONG_LONG,
                  MPI_COMM_WORLD);
    for (int a = 0; a < topology.size(); ++a) {
        for (int b = 0; b < a; ++b) {
            if (topology.has_edges(a) && topology.has_edges(b)
                && topology.component(a) == topology.component(b)
                && all[static_cast<std::size_t>(a)] != all[static_cast<std::size_t>(b)])
                return false;
        }
    }
    return true;
}

/// The first call of a duplicate, in which it takes over the inherited state.
void call_first(Context &context, const Communicator &copy, const Topology &topology, int round)
{
    const Pvars pvars;
    Pending call = make_call(context, topology, Variant::nonblocking, round);
    begin(context, call, copy);
    context.expect(is_equal(topology, pvars.count("inherited")),
                   "ranks do not inherit the same after step " + std::to_string(round));
    watchdog::detail("first call of a duplicate");
    wait(context, call);
}

/// Some calls, a duplicate that some ranks make at once and others later, and the rest of the
/// calls.
Communicator step(Context &context, const Communicator &comm, const Topology &topology, int number)
{
    std::vector<Pending> calls;
    const Variant variant = number % 4 == 0 ? Variant::blocking : Variant::nonblocking;
    for (int i = 0; i < (number % 4 == 3 ? kOutstanding : 1); ++i) {
        calls.push_back(make_call(context, topology, variant, i));
        begin(context, calls.back(), comm);
    }
    if ((context.rank + number) % 2 == 0)
        linger(kLingerOfDuplicates);
    watchdog::detail("making a duplicate");
    Communicator copy = duplicate(context, comm.get(), number % 3);
    call_first(context, copy, topology, number);
    watchdog::detail("calls that were begun before");
    for (Pending &call : calls)
        wait(context, call);
    return copy;
}

/// The messages that this rank sends in one blocking call.
std::pair<unsigned long long, unsigned long long>
messages_of_call(Context &context, const Communicator &comm, const Topology &topology)
{
    const Pvars pvars;
    Pending call = make_call(context, topology, Variant::blocking, 0);
    begin(context, call, comm);
    wait(context, call);
    return {pvars.count("messages_local"), pvars.count("messages_nonlocal")};
}

/// Once the decision for the original is final, a duplicate sends the same messages in its first
/// call.
Communicator late(Context &context, const Communicator &comm, const Topology &topology)
{
    const long trial = 4 * Parameters().read("coll_nbrhood_trial_calls", 0);
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const long calls = attempt == 0 ? trial + 100 : kCallsOfTry;
        for (long i = 0; i < calls; ++i)
            messages_of_call(context, comm, topology);
        linger(kLingerOfDuplicates);
        Communicator copy = duplicate(context, comm.get(), attempt % 3);
        const bool same =
            messages_of_call(context, copy, topology) == messages_of_call(context, comm, topology);
        if (agree_on_failure(same ? "" : "other messages").empty())
            return copy;
    }
    context.fail(nullptr, "a late duplicate does not send what its original sends");
    return {};
}

void inherit(Context &context, const Topology &topology)
{
    std::vector<Communicator> copies;
    Communicator comm = context.create(topology);
    copies.push_back(duplicate(context, comm.get(), 0)); // before any call
    for (int number = 0; number < kStepsOfDuplicates; ++number) {
        Communicator copy = step(context, comm, topology, number);
        if (number % 6 == 0)
            copies.push_back(std::move(copy));
    }
    copies.push_back(late(context, comm, topology));
    Communicator called = duplicate(context, copies.back().get(), 1);
    copies.push_back(duplicate(context, called.get(), 2));
    call_first(context, called, topology, kStepsOfDuplicates);
    call_first(context, copies.back(), topology, kStepsOfDuplicates);
    comm.free();
    called.free();
    for (Communicator &copy : copies) {
        run_entries(context, copy, topology, varied_workload(context.seed));
        copy.free();
    }
}

// Duplicates while more calls are under way than a rank may begin before it knows the agreed
// number. The rank must wait for the number in the dup, since others may know it. Only chance makes
// a dup fall into that moment.
void bursts(Context &context)
{
    const Topology topology = context.random_topology(0.5);
    for (int parent = 0; parent < kParents; ++parent) {
        const Communicator comm = context.create(topology);
        for (int number = 0; number < kBursts; ++number) {
            const std::uint64_t all = hash_of(context.seed, parent, number);
            const std::uint64_t own = hash_of(all, context.rank, 0);
            std::vector<Pending> calls;
            for (std::uint64_t i = 0; i < (number == 0 ? 1 + all % 3 : 8 + all % 40); ++i) {
                calls.push_back(make_call(context, topology, Variant::nonblocking, 0));
                begin(context, calls.back(), comm);
            }
            if (own % 4 == 1)
                usleep(static_cast<useconds_t>(own / 4 % 1000)); // without progress
            if (own % 16 == 2)
                linger(kLingerOfDuplicates);
            const Communicator copy = duplicate(context, comm.get(), number % 3);
            call_first(context, copy, topology, number);
            for (Pending &call : calls)
                wait(context, call);
        }
    }
}

// A child communicator for which MPI gives no order: it may be made before or after calls that are
// under way.
void create_group(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    const Communicator decided = late(context, comm, topology);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_group(comm.get(), &group);
    succeeded(context, nullptr, MPI_Comm_create_group(comm.get(), group, 5, &made),
              "MPI_Comm_create_group");
    MPI_Group_free(&group);
    const Communicator child(made);
    const Communicator copy = duplicate(context, child.get(), 0);
    const Pvars pvars;
    int kind = MPI_UNDEFINED; // as since Open MPI 6.0, which gives it no topology
    MPI_Topo_test(child.get(), &kind);
    if (kind != MPI_UNDEFINED && Parameters().component_present()) {
        run_entries(context, child, topology, varied_workload(context.seed));
        run_entries(context, copy, topology, varied_workload(context.seed));
        context.expect(pvars.count("inherited") == 0, "MPI_Comm_create_group inherits");
    }
    run_entries(context, decided, topology, varied_workload(context.seed));
}

} // namespace

const std::vector<Case> &comm_dup_cases()
{
    static const std::vector<Case> cases = {
        {"comm-dup-dense", [](Context &c) { inherit(c, c.random_topology(0.5)); }},
        {"comm-dup-sparse", [](Context &c) { inherit(c, c.random_topology(1.0 / c.size)); }},
        {"comm-dup-bursts", bursts},
        {"comm-dup-create-group", create_group},
    };
    return cases;
}

} // namespace nbrhood_test
