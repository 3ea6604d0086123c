// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-verify-allgather: compares MPI_Allgather and its variants, on communicators made in many
// ways, with results that each rank computes by itself.
#include "allgather_call.h"
#include "allgather_communicators.h"
#include "common_communicator.h"
#include "common_pending.h"
#include "common_random.h"
#include "common_run.h"
#include "common_traffic.h"
#include "common_mpi_t.h"

#include "allgather/choice.h"

#include <functional>
#include <list>

using namespace nbrhood_test;

namespace {

/// The shared state of the cases.
struct Run {
    int rank = 0, size = 0;
    std::uint64_t seed = 1;
    int nodes = 0;
    std::string algorithm;
    std::string failure; ///< the first of this rank

    /// Whether the component serves small calls on all ranks.
    bool ours() const
    {
        return algorithm != "default" && nodes > 1 && (algorithm != "auto" || nodes < size);
    }

    /// Whether Open MPI's own functions serve some calls after the first blocking one, too.
    bool shares() const { return algorithm == "default" || algorithm == "auto"; }

    /// To be called before nonblocking calls on a communicator that has seen no blocking one. Open
    /// MPI's own functions serve them, and must not get buffers in memory that Open MPI does not
    /// support.
    void prepare(MPI_Comm comm)
    {
        if (hidden_from_open_mpi())
            check(GatherCall(comm, GatherVariant::blocking, {}, seed + 11).run(0));
    }

    void check(const std::string &found)
    {
        if (failure.empty() && !found.empty())
            failure = found;
        if (!found.empty())
            watchdog::noticed(found);
    }
};

// ---- Cases ----

void sizes(Run &run)
{
    Communicator comm = world_copy(run.algorithm);
    // The sizes are not in order, so that another algorithm may serve the next call.
    for (int ints : {1, 2, 300, 3, 128, 1, 4096, 17, 129, 7}) {
        for (GatherVariant variant : gather_variants) {
            if (hidden_from_open_mpi() && run.shares() && variant != GatherVariant::blocking)
                continue;
            for (bool in_place : {false, true}) {
                GatherArguments arguments;
                arguments.ints = ints;
                arguments.in_place = in_place;
                GatherCall call(comm.get(), variant, arguments, run.seed);
                for (int round = 0; round < 3; ++round)
                    run.check(call.run(round));
                run.check(call.free());
            }
        }
    }
}

void datatypes(Run &run)
{
    if (!run.ours())
        return; // Open MPI 5.0's own is wrong here (STOCK-BUGS.md)
    Communicator comm = world_copy(run.algorithm);
    const std::pair<TypeKind, TypeKind> kinds[] = {{TypeKind::vector3, TypeKind::contiguous3},
                                                   {TypeKind::contiguous3, TypeKind::vector3},
                                                   {TypeKind::resized, TypeKind::integer},
                                                   {TypeKind::integer, TypeKind::resized},
                                                   {TypeKind::reversed, TypeKind::reversed},
                                                   {TypeKind::contiguous3, TypeKind::reversed},
                                                   {TypeKind::negative_bound, TypeKind::integer},
                                                   {TypeKind::integer, TypeKind::negative_bound}};
    for (const auto &[sent, received] : kinds) {
        for (GatherVariant variant : gather_variants) {
            GatherArguments arguments;
            arguments.sent = sent;
            arguments.received = received;
            arguments.ints = 6;
            GatherCall call(comm.get(), variant, arguments, run.seed);
            for (int round = 0; round < 3; ++round)
                run.check(call.run(round));
            run.check(call.free());
            arguments.in_place = true;
            run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(0));
        }
        // Types that differ between ranks: only their signatures must be equal.
        GatherArguments arguments;
        const bool swapped = run.rank % 2 != 0;
        arguments.sent = swapped ? sent : received;
        arguments.received = swapped ? received : sent;
        arguments.ints = 6;
        run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(0));
    }
}

/// Before any blocking call, after it, and in between.
void use(Run &run, MPI_Comm comm)
{
    GatherArguments arguments;
    arguments.ints = 3;
    const GatherVariant order[] = {GatherVariant::nonblocking, GatherVariant::persistent,
                                   GatherVariant::blocking,    GatherVariant::nonblocking,
                                   GatherVariant::persistent,  GatherVariant::blocking};
    std::list<GatherCall> kept; // initialised before the first blocking call, used to the end
    kept.emplace_back(comm, GatherVariant::persistent, arguments, run.seed + 7);
    run.check(kept.back().run(0));
    for (GatherVariant variant : order) {
        GatherCall call(comm, variant, arguments, run.seed);
        for (int round = 0; round < 2; ++round)
            run.check(call.run(round));
        run.check(call.free());
        run.check(kept.back().run(1));
    }
    run.check(kept.back().free());
}

void communicators(Run &run)
{
    for (const CommunicatorMaker &maker : communicator_makers()) {
        watchdog::detail(maker.name);
        const std::string before = run.failure;
        Communicator comm = maker.make(run.algorithm);
        if (comm)
            use(run, comm.get());
        if (run.failure != before)
            run.failure = std::string(maker.name) + ": " + run.failure;
    }
}

// Many calls at once, completed in a different order on each rank; the communicator may be freed
// before.
void outstanding(Run &run, bool freed)
{
    Communicator comm = world_copy(run.algorithm);
    GatherArguments arguments;
    run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(0));
    std::list<GatherCall> calls;
    for (int i = 0; i < 12; ++i) {
        arguments.ints = 1 + i * 3;
        arguments.sent = arguments.received = i % 4 == 3 ? TypeKind::resized : TypeKind::integer;
        calls.emplace_back(comm.get(), GatherVariant::nonblocking, arguments, run.seed + 1);
        calls.back().prepare(i);
        run.check(calls.back().invoke());
        calls.back().free_types();
    }
    if (freed)
        comm.free();
    std::vector<GatherCall *> order;
    for (GatherCall &call : calls)
        order.push_back(&call);
    Random(run.seed + static_cast<std::uint64_t>(run.rank)).shuffle(order);
    for (GatherCall *call : order)
        run.check(call->finish());
}

// Persistent requests that outlive their communicator and their types.
void persistent_on_freed(Run &run)
{
    if (!run.ours())
        return; // Open MPI's own requests do not survive that (STOCK-BUGS.md)
    Communicator comm = world_copy(run.algorithm);
    GatherArguments arguments;
    run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(0));
    arguments.ints = 6;
    arguments.received = TypeKind::vector3;
    arguments.sent = TypeKind::contiguous3;
    std::list<GatherCall> calls;
    for (int i = 0; i < 3; ++i) {
        calls.emplace_back(comm.get(), GatherVariant::persistent, arguments, run.seed + 1);
        run.check(calls.back().invoke());
        calls.back().free_types();
    }
    comm.free();
    for (int round = 0; round < 3; ++round) {
        // All ranks start the requests in one order, and complete them in different orders.
        for (GatherCall &call : calls) {
            call.prepare(round);
            run.check(call.start());
        }
        std::vector<GatherCall *> order;
        for (GatherCall &call : calls)
            order.push_back(&call);
        Random(run.seed + static_cast<std::uint64_t>(run.rank)).shuffle(order);
        for (GatherCall *call : order)
            run.check(call->finish());
    }
    for (GatherCall &call : calls)
        run.check(call.free());
}

// The creation of a topology does not prepare allgathers, even if it builds a pattern: the
// component serves them from the first blocking one on.
void built_topology(Run &run)
{
    const Pvars pvars;
    run.check(pvars.failure());
    for (GatherVariant first :
         {GatherVariant::nonblocking, GatherVariant::persistent, GatherVariant::blocking}) {
        Communicator comm = built_ring(run.algorithm);
        GatherArguments arguments;
        const unsigned long long before = pvars.count("allgathers");
        GatherCall call(comm.get(), first, arguments, run.seed);
        run.check(call.run(0));
        const unsigned long long served = pvars.count("allgathers") - before;
        if (served != (run.ours() && first == GatherVariant::blocking ? 1U : 0U))
            run.check("the component has served " + std::to_string(served)
                      + " allgathers on a topology that was built");
        run.check(call.free());
        use(run, comm.get());
    }
}

// Some ranks call first on the part and then on the whole communicator, others the other way round.
void orders_differ(Run &run)
{
    for (bool agreed : {false, true}) {
        Communicator whole = world_copy(run.algorithm);
        MPI_Comm split = MPI_COMM_NULL;
        MPI_Comm_split(whole.get(), run.rank % 2, -run.rank, &split);
        const Communicator part(split);
        GatherArguments arguments;
        run.prepare(part.get());
        if (agreed)
            run.check(GatherCall(whole.get(), GatherVariant::blocking, arguments, run.seed).run(0));
        GatherCall on_part(part.get(), GatherVariant::nonblocking, arguments, run.seed);
        on_part.prepare(0);
        const bool part_first = hash_of(run.seed, run.rank) % 2 == 0;
        if (part_first)
            run.check(on_part.invoke());
        run.check(GatherCall(whole.get(), GatherVariant::blocking, arguments, run.seed).run(1));
        if (!part_first)
            run.check(on_part.invoke());
        run.check(on_part.finish());
        run.check(GatherCall(part.get(), GatherVariant::blocking, arguments, run.seed).run(2));
    }
}

// Neighbourhood collectives and the application's messages under way at the same time.
void among_others(Run &run)
{
    const Topology topology = Topology::cart(balanced_dims(run.size, 2), {1, 1});
    const Communicator comm = make_communicator(MPI_COMM_WORLD, topology, "auto");
    Workload workload;
    workload.ints = [](Endpoint) { return 2; };
    run.prepare(comm.get());
    for (int round = 0; round < 8; ++round) {
        UserTraffic traffic(comm.get(), run.seed + static_cast<std::uint64_t>(round),
                            round % 2 == 0);
        GatherArguments arguments;
        arguments.ints = 1 + round;
        std::list<Pending> pending;
        for (const EntryPoint &entry : entry_points()) {
            if (entry.variant == Variant::nonblocking && entry.operation == Operation::allgather) {
                pending.emplace_back(entry, topology, run.rank, workload, run.seed);
                pending.back().prepare(round);
                run.check(pending.back().invoke(comm.get()));
            }
        }
        GatherCall nonblocking(comm.get(), GatherVariant::nonblocking, arguments, run.seed);
        nonblocking.prepare(round);
        run.check(nonblocking.invoke());
        run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(round));
        traffic.send();
        for (Pending &call : pending)
            run.check(call.wait());
        run.check(nonblocking.finish());
        run.check(traffic.finish());
    }
}

// One rank wrongly sends more than it receives: all ranks end with an error, none waits.
void unequal_sides(Run &run)
{
    if (!run.ours())
        return; // Open MPI's own functions do not notice
    Communicator comm = world_copy(run.algorithm);
    GatherArguments arguments;
    run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(0));
    std::vector<int> sent(4, run.rank), received(4 * static_cast<std::size_t>(run.size));
    const bool odd = run.rank == run.size / 2;
    const int code =
        MPI_Allgather(sent.data(), odd ? 3 : 2, MPI_INT, received.data(), 2, MPI_INT, comm.get());
    if (code == MPI_SUCCESS)
        run.check("a call with unequal sides ends without an error");
    // The error has no effect on the next call.
    run.check(GatherCall(comm.get(), GatherVariant::blocking, arguments, run.seed).run(1));
}

struct GatherCase {
    const char *name;
    std::function<void(Run &)> run;
};

const std::vector<GatherCase> &cases()
{
    static const std::vector<GatherCase> all = {
        {"sizes", sizes},
        {"datatypes", datatypes},
        {"communicators", communicators},
        {"built-topology", built_topology},
        {"outstanding", [](Run &run) { outstanding(run, false); }},
        {"outstanding-freed", [](Run &run) { outstanding(run, run.ours()); }},
        {"persistent-freed", persistent_on_freed},
        {"orders-differ", orders_differ},
        {"among-others", among_others},
        {"unequal-sides", unequal_sides}};
    return all;
}

int count_nodes()
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    int nodes = rank == 0 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return nodes;
}

/// Whether a case can run with buffers in this memory. Inside a node, and with `default`, Open
/// MPI's own functions serve all calls, and may touch the buffers; the exception is blocking calls
/// with `default`.
bool suits(Memory memory, const std::string &one, const std::string &algorithm)
{
    if (memory == Memory::host)
        return true;
    return one != "communicators"
           && (!hidden_from_open_mpi() || algorithm != "default" || one == "sizes");
}

/// The values of coll_nbrhood_allgather_algorithm, with commas between them.
std::string all_choices()
{
    std::string names;
    for (int value = 0; nbrhood::allgather_choice_name(value) != nullptr; ++value)
        names += (value == 0 ? "" : ",") + std::string(nbrhood::allgather_choice_name(value));
    return names;
}

int run_all(const Options &options, Run &run)
{
    const Memory memory = memory_named(options.text("--buffers"));
    Results results(run.rank, options);
    for (const std::string &algorithm : options.list("--algorithms")) {
        for (const GatherCase &one : cases()) {
            const std::string name = std::string(one.name) + "/" + algorithm;
            if (!suits(memory, one.name, algorithm)
                || name.find(options.text("--filter")) == std::string::npos)
                continue;
            results.begin(name);
            run.algorithm = algorithm;
            run.failure.clear();
            one.run(run);
            results.end(agree_on_failure(run.failure));
        }
    }
    return results.finish();
}

} // namespace

int main(int argc, char **argv)
{
    const Options options(argc, argv,
                          {{"--algorithms", all_choices()},
                           {"--filter", ""},
                           {"--seed", "1"},
                           {"--buffers", "host"},
                           {"--timeout", "180"}},
                          {"--threads"});
    choose_memory(memory_named(options.text("--buffers")));
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv,
                    options.flag("--threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    Run run;
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.size);
    run.seed = static_cast<std::uint64_t>(options.number("--seed"));
    run.nodes = count_nodes();
    watchdog::start(run.rank, static_cast<unsigned>(options.number("--timeout")));
    const int status = run_all(options, run);
    MPI_Finalize();
    watchdog::stop();
    return status;
}
