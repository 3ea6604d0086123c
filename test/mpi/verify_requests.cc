// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases over requests: many at once, completed and started in different orders, restarted, freed
// too early.
#include "common_random.h"
#include "verify_case.h"

namespace nbrhood_test {

namespace {

/// Operations of different kinds and sizes on one communicator; the same list on all ranks.
std::vector<Pending> make_pending(const Context &context, Variant variant, const Topology &topology,
                                  int count)
{
    std::vector<Pending> all;
    const std::vector<EntryPoint> entries = context.only(variant);
    for (int i = 0; i < count && !entries.empty(); ++i) {
        const std::uint64_t seed = context.seed + static_cast<std::uint64_t>(i);
        // alltoallv every second time: it is the operation that matters most
        const EntryPoint alltoallv = entry_point(Operation::alltoallv, variant);
        const EntryPoint entry =
            i % 2 == 0 ? alltoallv : entries[static_cast<std::size_t>(i) % entries.size()];
        all.emplace_back(entry, topology, context.rank, varied_workload(seed), seed);
    }
    return all;
}

/// The ways to complete a set of requests.
enum class Completion { wait_in_random_order, test_in_turn, waitany, waitall };

void complete(Context &context, std::vector<Pending> &all, Completion how, std::uint64_t seed)
{
    if (how == Completion::wait_in_random_order) {
        for (std::size_t i : random_order(all.size(), seed))
            context.check(all[i].entry(), all[i].wait());
        return;
    }
    std::vector<MPI_Request> requests;
    for (Pending &pending : all)
        requests.push_back(pending.request());
    const int count = static_cast<int>(requests.size());
    std::size_t left = all.size();
    if (how == Completion::waitall) {
        context.expect(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS,
                       "MPI_Waitall failed");
        left = 0;
    }
    for (std::size_t i = 0; left > 0; ++i) {
        int index = static_cast<int>(i % all.size()), done = 0;
        if (how == Completion::waitany) {
            done = MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        } else if (requests[i % all.size()] != MPI_REQUEST_NULL) {
            MPI_Test(&requests[i % all.size()], &done, MPI_STATUS_IGNORE);
        }
        if (!context.expect(index != MPI_UNDEFINED, "MPI_Waitany found no active request"))
            return;
        left -= done != 0;
    }
    for (Pending &pending : all)
        context.check(pending.entry(), pending.check());
}

void outstanding(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    const auto rank_seed = static_cast<std::uint64_t>(context.rank);
    for (Completion how : {Completion::wait_in_random_order, Completion::test_in_turn,
                           Completion::waitany, Completion::waitall}) {
        std::vector<Pending> all = make_pending(context, Variant::nonblocking, topology, 8);
        for (Pending &pending : all) {
            pending.prepare(static_cast<int>(how));
            if (!context.check(pending.entry(), pending.invoke(comm.get())))
                return;
        }
        watchdog::detail("completing 8 operations, way " + std::to_string(static_cast<int>(how)));
        complete(context, all, how, hash_of(context.seed, rank_seed));
    }
}

// Blocking calls while nonblocking ones are under way on the same communicator.
void outstanding_and_blocking(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_pending(context, Variant::nonblocking, topology, 4);
    for (Pending &pending : all) {
        pending.prepare(0);
        if (!context.check(pending.entry(), pending.invoke(comm.get())))
            return;
        run_entries(context, context.only(Variant::blocking), comm, topology,
                    varied_workload(context.seed + 9));
    }
    watchdog::detail("completing the outstanding ones");
    complete(context, all, Completion::waitall, context.seed);
}

/// Initialises the requests in the same order on all ranks; false when that failed.
bool initialise(Context &context, std::vector<Pending> &all, MPI_Comm comm)
{
    for (Pending &pending : all) {
        pending.prepare(0);
        if (!context.check(pending.entry(), pending.invoke(comm)))
            return false;
    }
    return true;
}

void free_requests(Context &context, std::vector<Pending> &all)
{
    for (Pending &pending : all)
        context.check(pending.entry(), pending.free());
}

// Twenty rounds of starts, each in an order that differs between ranks and rounds.
void persistent_in_any_order(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_pending(context, Variant::persistent, topology, 5);
    if (!initialise(context, all, comm.get()))
        return;
    for (int round = 1; round <= 20; ++round) {
        watchdog::detail("persistent round " + std::to_string(round));
        for (Pending &pending : all)
            pending.prepare(round);
        const auto rank_seed = static_cast<std::uint64_t>(context.rank);
        for (std::size_t i : random_order(all.size(), hash_of(rank_seed, round)))
            context.check(all[i].entry(), all[i].start());
        for (std::size_t i : random_order(all.size(), hash_of(round, rank_seed)))
            context.check(all[i].entry(), all[i].wait());
    }
    free_requests(context, all);
}

// MPI_Startall, and rounds in which only some of the requests are started.
void persistent_startall(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_pending(context, Variant::persistent, topology, 6);
    if (!initialise(context, all, comm.get()))
        return;
    for (int round = 1; round <= 6; ++round) {
        std::vector<MPI_Request> requests;
        std::vector<Pending *> started;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (round % 2 == 0 && i % 2 == 0)
                continue;
            all[i].prepare(round);
            requests.push_back(all[i].request());
            started.push_back(&all[i]);
        }
        const int count = static_cast<int>(requests.size());
        watchdog::detail("MPI_Startall round " + std::to_string(round));
        succeeded(context, nullptr, MPI_Startall(count, requests.data()), "MPI_Startall");
        succeeded(context, nullptr, MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE),
                  "MPI_Waitall");
        for (Pending *pending : started)
            context.check(pending->entry(), pending->check());
    }
    free_requests(context, all);
}

// A request that was initialised but never started may be freed, and waiting for it returns at
// once.
void persistent_never_started(Context &context)
{
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    std::vector<Pending> all = make_pending(context, Variant::persistent, topology, 5);
    if (!initialise(context, all, comm.get()))
        return;
    for (Pending &pending : all) {
        watchdog::detail("waiting for an inactive request");
        context.expect(MPI_Wait(&pending.request(), MPI_STATUS_IGNORE) == MPI_SUCCESS,
                       "MPI_Wait failed for a request that was never started");
    }
    free_requests(context, all);
    run_entries(context, comm, topology, varied_workload(context.seed));
}

/// Expects an error from an attempt on an active request, which must survive it.
void expect_refusal(Context &context, Pending &pending, bool cancel)
{
    MPI_Request copy = pending.request();
    const int code = cancel ? MPI_Cancel(&copy) : MPI_Request_free(&copy);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    if (error_class != MPI_ERR_REQUEST) {
        context.fail(&pending.entry(), std::string(cancel ? "MPI_Cancel" : "MPI_Request_free")
                                           + " of an active request returned " + error_text(code));
    }
}

// Even ranks of a ring start a request and try to free and to cancel it; their odd neighbours start
// only afterwards.
void active_request_is_kept(Context &context)
{
    const int pairs = context.size / 2 * 2;
    if (!context.ours() || pairs == 0)
        return;
    std::vector<Neighbourhood> lists(static_cast<std::size_t>(context.size));
    for (int rank = 0; rank < pairs; ++rank) {
        const std::vector<int> both = {(rank + 1) % pairs, (rank + pairs - 1) % pairs};
        lists[static_cast<std::size_t>(rank)] = {both, both};
    }
    const Topology topology = Topology::dist_graph(std::move(lists));
    const Communicator comm = context.create(topology);
    for (Variant variant : {Variant::nonblocking, Variant::persistent}) {
        std::vector<Pending> all = make_pending(context, variant, topology, 5);
        const auto start_all = [&] {
            for (Pending &pending : all) {
                context.check(pending.entry(), variant == Variant::persistent
                                                   ? pending.start()
                                                   : pending.invoke(comm.get()));
            }
        };
        for (Pending &pending : all)
            pending.prepare(0);
        if (variant == Variant::persistent && !initialise(context, all, comm.get()))
            return;
        watchdog::detail("freeing and cancelling active requests");
        if (context.rank % 2 == 0 && context.rank < pairs) {
            start_all();
            for (Pending &pending : all)
                expect_refusal(context, pending, false);
            for (Pending &pending : all)
                expect_refusal(context, pending, true);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (context.rank % 2 == 1 || context.rank >= pairs)
            start_all();
        for (Pending &pending : all)
            context.check(pending.entry(), pending.wait());
        if (variant == Variant::persistent)
            free_requests(context, all);
    }
}

} // namespace

const std::vector<Case> &request_cases()
{
    static const std::vector<Case> cases = {
        {"requests-outstanding", outstanding},
        {"requests-outstanding-and-blocking", outstanding_and_blocking},
        {"persistent-in-any-order", persistent_in_any_order},
        {"persistent-startall", persistent_startall},
        {"persistent-never-started", persistent_never_started},
        {"active-request-is-kept", active_request_is_kept},
    };
    return cases;
}

} // namespace nbrhood_test
