// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases in which the blocks of calls change their size on a communicator, so that auto decides
// again (coll_nbrhood_watch_calls).
#include "common_mpi_t.h"
#include "common_random.h"
#include "verify_case.h"

namespace nbrhood_test {

namespace {

constexpr double kLinger = 2e-3; // seconds, in which builds go on
constexpr int kOutstanding =
    12; // more calls than a rank may begin before the ranks agree on a decision

// All components have the same size in turn, or every second one stays small.
Workload workload_of(int ints, bool everywhere)
{
    const auto own = [=](int component) { return everywhere || component % 2 == 0 ? ints : 2; };
    Workload workload;
    workload.ints = [=](Endpoint e) { return ints + (e.rank + e.slot) % 2; };
    workload.uniform_ints = own;
    return workload;
}

// Several calls are in flight while the ranks decide about later ones. Half of the ranks are late.
void burst(Context &context, const Communicator &comm, const Topology &topology,
           Operation operation, const Workload &workload, int number)
{
    std::vector<Pending> calls;
    for (int i = 0; i < kOutstanding; ++i) {
        calls.emplace_back(entry_point(operation, Variant::nonblocking), topology, context.rank,
                           workload, context.seed);
        calls.back().prepare(i);
        context.check(calls.back().entry(), calls.back().invoke(comm.get()));
        if (i == kOutstanding / 2 && (context.rank + number) % 2 == 0)
            linger(kLinger);
    }
    for (const std::size_t i : random_order(calls.size(), context.seed))
        context.check(calls[i].entry(), calls[i].wait());
}

// A pattern that is built at creation does not change; then one step with few sizes is enough.
void change(Context &context, const Topology &topology, bool everywhere)
{
    const bool is_decided_again = context.algorithm == "auto" && Parameters().builds_later();
    const int steps = is_decided_again ? 4 : 1;
    const std::vector<int> sizes =
        is_decided_again ? std::vector<int>{2, 2000, 4, 300} : std::vector<int>{2, 2000};
    const Operation operations[] = {Operation::allgather, Operation::allgatherv,
                                    Operation::alltoall, Operation::alltoallv,
                                    Operation::alltoallw};
    for (const Operation operation : operations) {
        Communicator comm = context.create(topology);
        // The blocks of the duplicate keep their size.
        Pending kept(entry_point(operation, Variant::persistent), topology, context.rank,
                     workload_of(3, everywhere), context.seed);
        context.check(kept.entry(), kept.invoke(comm.get()));
        for (const int ints : sizes) {
            const Workload workload = workload_of(ints, everywhere);
            for (int i = 0; i < steps; ++i) {
                run_entries(context,
                            {entry_point(operation, Variant::blocking),
                             entry_point(operation, Variant::nonblocking)},
                            comm, topology, workload);
                burst(context, comm, topology, operation, workload, i);
                kept.prepare(i);
                context.check(kept.entry(), kept.start());
                context.check(kept.entry(), kept.wait());
            }
            MPI_Comm made = MPI_COMM_NULL;
            succeeded(context, nullptr, MPI_Comm_dup(comm.get(), &made), "MPI_Comm_dup");
            Communicator copy(made);
            run_entries(context, {entry_point(operation, Variant::blocking)}, copy, topology,
                        workload);
            copy.free();
        }
        context.check(kept.entry(), kept.free());
        comm.free();
    }
}

} // namespace

const std::vector<Case> &changing_cases()
{
    static const std::vector<Case> cases = {
        {"changing-dense", [](Context &c) { change(c, c.random_topology(0.5), true); }},
        {"changing-sparse", [](Context &c) { change(c, c.random_topology(1.0 / c.size), true); }},
        {"changing-in-parts",
         [](Context &c) { change(c, c.random_topology(1.0 / c.size), false); }},
    };
    return cases;
}

} // namespace nbrhood_test
