// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases in which the program does other things on the same communicators: user messages, other
// collectives, threads.
#include "common_random.h"
#include "common_traffic.h"
#include "verify_case.h"

#include <array>
#include <thread>

namespace nbrhood_test {

namespace {

// Receives are posted before each call and matched after it, on the topology communicator and on
// MPI_COMM_WORLD.
void with_user_traffic(Context &context, const Topology &topology, bool wildcards)
{
    const Communicator comm = context.create(topology);
    Exercise once;
    once.rounds = 1;
    for (const EntryPoint &entry : context.entries) {
        UserTraffic own(comm.get(), context.seed, wildcards);
        UserTraffic world(MPI_COMM_WORLD, context.seed + 1, wildcards);
        if (context.rank % 2 == 0)
            own.send();
        run_entries(context, {entry}, comm, topology, varied_workload(context.seed), once);
        if (context.rank % 2 != 0)
            own.send();
        world.send();
        run_entries(context, {entry}, comm, topology, varied_workload(context.seed), once);
        watchdog::detail(std::string("user messages around ") + entry.name);
        for (UserTraffic *traffic : {&own, &world}) {
            const std::string wrong = traffic->finish();
            if (!wrong.empty())
                context.fail(&entry, wrong);
        }
    }
}

void user_traffic(Context &context, bool wildcards)
{
    with_user_traffic(context, context.random_topology(0.4), wildcards);
}

// A line, on which the messages come from the neighbour in dimension 0. Over UCX, which keeps 24
// bits of a tag, Open MPI's own tags for that dimension become 0 and 1.
void user_traffic_on_cart(Context &context)
{
    with_user_traffic(context, Topology::cart({context.size}, {1}), false);
}

// Other collectives on the same communicator between the calls and while nonblocking ones are under
// way.
void other_collectives(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    for (const EntryPoint &entry : context.only(Variant::nonblocking)) {
        Pending pending(entry, topology, context.rank, varied_workload(context.seed), context.seed);
        pending.prepare(0);
        MPI_Request reduction = MPI_REQUEST_NULL;
        if (!context.check(entry, pending.invoke(comm.get())))
            return;
        int sum = context.rank, total = 0, one = 1, count = 0;
        MPI_Iallreduce(&one, &count, 1, MPI_INT, MPI_SUM, comm.get(), &reduction);
        MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, comm.get());
        context.check(entry, pending.wait());
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
        const bool right = count == context.size && total == context.size * (context.size - 1) / 2;
        context.expect(right, "an allreduce beside a neighbourhood call gave a wrong sum");
    }
}

/// The calls of one thread on its communicator; returns the first failure.
std::string thread_body(const std::vector<EntryPoint> &entries, MPI_Comm comm,
                        const Topology &topology, int rank, std::uint64_t seed)
{
    for (int round = 0; round < 10; ++round) {
        for (const EntryPoint &entry : entries) {
            const bool persistent = entry.variant == Variant::persistent;
            Pending pending(entry, topology, rank, varied_workload(seed), seed);
            pending.prepare(round);
            std::string wrong = pending.invoke(comm);
            if (wrong.empty() && persistent)
                wrong = pending.start();
            if (wrong.empty())
                wrong = pending.wait();
            if (wrong.empty() && persistent)
                wrong = pending.free();
            if (!wrong.empty())
                return std::string(entry.name) + " in a thread: " + wrong;
        }
    }
    return {};
}

// Two threads with a communicator each. Without --threads (MPI_THREAD_MULTIPLE) there is nothing to
// do.
void threads(Context &context)
{
    if (!context.threads)
        return;
    const Topology topology = context.random_topology(0.4);
    const Communicator comms[2] = {context.create(topology), context.create(topology)};
    std::array<std::string, 2> failures;
    watchdog::detail("two threads");
    {
        const auto body = [&](std::size_t i) {
            failures[i] = thread_body(context.entries, comms[i].get(), topology, context.rank,
                                      context.seed + i);
        };
        std::thread other(body, 1);
        body(0);
        other.join();
    }
    for (const std::string &failure : failures)
        context.expect(failure.empty(), failure);
}

} // namespace

const std::vector<Case> &traffic_cases()
{
    static const std::vector<Case> cases = {
        {"user-traffic", [](Context &c) { user_traffic(c, false); }},
        {"user-traffic-wildcards", [](Context &c) { user_traffic(c, true); }},
        {"user-traffic-on-cart", user_traffic_on_cart},
        {"other-collectives", other_collectives},
        {"threads", threads},
    };
    return cases;
}

} // namespace nbrhood_test
