// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over requests whose values go to several neighbours: many at once, restarted with other
// values, and with data that the user may free or overwrite before they are done.
#include "verify_duplicates.h"

#include "common_random.h"

namespace nbrhood_test {

namespace {

/// Workloads of alltoallv and alltoallw that share values in different ways.
SharedWorkload workload_number(int number, std::uint64_t seed)
{
    SharedWorkload workload;
    workload.in = number % 2 == 0 ? ValuesIn::windows : ValuesIn::types;
    switch (number % 6) {
    case 0:
        workload.values = identical_values(5);
        break;
    case 2:
        workload.values = overlapping_values(seed, 40);
        break;
    case 4:
        workload.values = overlapping_values(seed, 9);
        workload.send = ElementKind::spaced3;
        workload.recv = ElementKind::descending3;
        break;
    case 1:
        workload.values = random_values(seed, 30, 25);
        break;
    case 3:
        workload.values = identical_values(4);
        workload.view = [](Endpoint source) { return static_cast<View>(source.slot % 3); };
        break;
    default:
        workload.values = random_values(seed, 8, 12);
        workload.send = ElementKind::record_spread;
        workload.recv = ElementKind::record;
        break;
    }
    return workload;
}

/// Different operations on one graph; the same list on all ranks.
std::vector<Pending> make_several(const Context &context, Variant variant, const Topology &topology,
                                  int count)
{
    std::vector<Pending> all;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t seed = hash_of(context.seed, i);
        const SharedWorkload workload = workload_number(i, seed);
        const Operation operation =
            workload.in == ValuesIn::types ? Operation::alltoallw : Operation::alltoallv;
        all.push_back(make_shared_pending(context, entry_point(operation, variant), topology,
                                          workload, seed));
    }
    return all;
}

bool invoke_all(Context &context, std::vector<Pending> &all, MPI_Comm comm)
{
    for (Pending &pending : all) {
        pending.prepare(0);
        if (!context.check(pending.entry(), pending.invoke(comm)))
            return false;
    }
    return true;
}

std::uint64_t own_seed(const Context &context, int round)
{
    return hash_of(static_cast<std::uint64_t>(context.rank), round);
}

void outstanding_sends(Context &context)
{
    const Topology topology = sharing_graph(context);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_several(context, Variant::nonblocking, topology, 6);
    if (!invoke_all(context, all, comm.get()))
        return;
    for (std::size_t i : random_order(all.size(), own_seed(context, 0)))
        context.check(all[i].entry(), all[i].wait());
}

// Twenty rounds of starts with other values each, in an order that differs between ranks and
// rounds; the requests are freed in such an order, too.
void persistent(Context &context)
{
    const Topology topology = sharing_graph(context);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_several(context, Variant::persistent, topology, 6);
    if (!invoke_all(context, all, comm.get()))
        return;
    for (int round = 1; round <= 20; ++round) {
        watchdog::detail("persistent round " + std::to_string(round));
        for (std::size_t i : random_order(all.size(), own_seed(context, round))) {
            all[i].prepare(round);
            context.check(all[i].entry(), all[i].start());
        }
        for (std::size_t i : random_order(all.size(), own_seed(context, -round)))
            context.check(all[i].entry(), all[i].wait());
    }
    for (std::size_t i : random_order(all.size(), own_seed(context, 0)))
        context.check(all[i].entry(), all[i].free());
}

// Requests are initialised, started and freed while others exist.
void persistent_come_and_go(Context &context)
{
    const Topology topology = sharing_graph(context);
    const Communicator comm = context.create(topology);
    std::vector<Pending> stay = make_several(context, Variant::persistent, topology, 2);
    if (!invoke_all(context, stay, comm.get()))
        return;
    for (int round = 1; round <= 4; ++round) {
        std::vector<Pending> go = make_several(context, Variant::persistent, topology, 1 + round);
        if (!invoke_all(context, go, comm.get()))
            return;
        for (std::vector<Pending> *some : {&go, &stay}) {
            for (Pending &pending : *some) {
                pending.prepare(round);
                context.check(pending.entry(), pending.start());
            }
        }
        for (std::vector<Pending> *some : {&stay, &go}) {
            for (Pending &pending : *some)
                context.check(pending.entry(), pending.wait());
        }
        for (Pending &pending : go)
            context.check(pending.entry(), pending.free());
    }
    for (Pending &pending : stay)
        context.check(pending.entry(), pending.free());
}

// As in PETSc, arrays and the communicator are freed before the request is started; this case also
// frees the datatypes.
void freed_early(Context &context)
{
    const Topology topology = sharing_graph(context);
    for (Variant variant : {Variant::nonblocking, Variant::persistent}) {
        Communicator comm = context.create(topology);
        std::vector<Pending> all = make_several(context, variant, topology, 6);
        if (!invoke_all(context, all, comm.get()))
            return;
        for (Pending &pending : all) {
            pending.exchange().scramble_arrays();
            pending.exchange().free_types();
        }
        comm.free();
        const bool restarted = variant == Variant::persistent;
        for (int round = 1; round <= (restarted ? 4 : 1); ++round) {
            for (Pending &pending : all) {
                if (!restarted)
                    break;
                pending.prepare(round);
                context.check(pending.entry(), pending.start());
            }
            for (Pending &pending : all)
                context.check(pending.entry(), pending.wait());
        }
        for (Pending &pending : all) {
            if (restarted)
                context.check(pending.entry(), pending.free());
        }
    }
}

// Blocking calls with other blocks between the starts of a request.
void persistent_and_blocking(Context &context)
{
    const Topology topology = sharing_graph(context);
    const Communicator comm = context.create(topology);
    std::vector<Pending> requests = make_several(context, Variant::persistent, topology, 3);
    std::vector<Pending> calls = make_several(context, Variant::blocking, topology, 6);
    if (!invoke_all(context, requests, comm.get()))
        return;
    for (int round = 1; round <= 3; ++round) {
        for (Pending &pending : requests) {
            pending.prepare(round);
            context.check(pending.entry(), pending.start());
        }
        for (Pending &call : calls)
            run_pending(context, call, comm.get(), {});
        for (Pending &pending : requests)
            context.check(pending.entry(), pending.wait());
    }
    for (Pending &pending : requests)
        context.check(pending.entry(), pending.free());
}

} // namespace

const std::vector<Case> &duplicate_request_cases()
{
    static const std::vector<Case> cases = {
        {"duplicates-outstanding", outstanding_sends},
        {"duplicates-persistent", persistent},
        {"duplicates-persistent-come-and-go", persistent_come_and_go},
        {"duplicates-persistent-and-blocking", persistent_and_blocking},
        {"duplicates-freed-early", freed_early},
    };
    return cases;
}

} // namespace nbrhood_test
