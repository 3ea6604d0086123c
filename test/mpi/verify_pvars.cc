// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases that compare the performance variables with the messages that the calls must have sent.
#include "common_mpi_t.h"
#include "execute/wire.h"
#include "verify_case.h"
#include "verify_regions.h"

#include <set>
#include <tuple>

namespace nbrhood_test {

namespace {

constexpr int kRounds = 3;
constexpr unsigned long long kBlockBytes = 2 * sizeof(int);

/// Messages and bytes, local and non-local.
struct Sent {
    unsigned long long messages[2] = {0, 0};
    unsigned long long bytes[2] = {0, 0};
    void add(bool nonlocal, unsigned long long more_messages, unsigned long long more_bytes)
    {
        messages[nonlocal ? 1 : 0] += more_messages;
        bytes[nonlocal ? 1 : 0] += more_bytes;
    }
};

Sent sent(const Pvars &pvars)
{
    return {{pvars.count("messages_local"), pvars.count("messages_nonlocal")},
            {pvars.count("bytes_local"), pvars.count("bytes_nonlocal")}};
}

std::string compare(const std::string &what, unsigned long long got, unsigned long long expected)
{
    return got == expected
               ? ""
               : what + " is " + std::to_string(got) + ", not " + std::to_string(expected);
}

/// A communicator under test: whether this rank calls, and the regions by its ranks (empty: not
/// known).
struct Setting {
    MPI_Comm parent;
    int rank;
    const Topology &topology;
    std::vector<int> regions;
    bool nonlocal(int rank_a, int rank_b) const
    {
        return !regions.empty()
               && regions[static_cast<std::size_t>(rank_a)]
                      != regions[static_cast<std::size_t>(rank_b)];
    }
};

/// One message per edge, without headers. Without regions only the totals are known.
void check_direct(Context &context, const Setting &setting, int calls, const Sent &got)
{
    Sent expected;
    for (int peer : setting.topology.at(setting.rank).out) {
        if (peer != MPI_PROC_NULL && peer != setting.rank) {
            expected.add(setting.nonlocal(setting.rank, peer),
                         static_cast<unsigned long long>(calls),
                         static_cast<unsigned long long>(calls) * kBlockBytes);
        }
    }
    const auto same = [&](const char *what, const unsigned long long *a,
                          const unsigned long long *b) {
        const std::string name = std::string(what) + (setting.regions.empty() ? "" : "_nonlocal");
        const std::string wrong = setting.regions.empty() ? compare(name, a[0] + a[1], b[0] + b[1])
                                                          : compare(name, a[1], b[1]);
        context.expect(wrong.empty(), wrong);
        context.expect(a[0] + a[1] == b[0] + b[1], std::string("the sum of ") + what + " is wrong");
    };
    same("messages", got.messages, expected.messages);
    same("bytes", got.bytes, expected.bytes);
}

/// One message for each pair of regions in each connected part, or with two_step for each pair of a
/// rank and a region to which it sends. Each has a header and the size of each block, but not from
/// the second start of a persistent request on.
void check_aggregated(Context &context, const Setting &setting, int with_header, int without,
                      const Sent &got)
{
    const bool by_rank = context.algorithm == "two_step";
    std::set<std::tuple<int, int, int>> pairs;
    unsigned long long blocks = 0;
    for (int rank = 0; rank < setting.topology.size(); ++rank) {
        for (int peer : setting.topology.at(rank).out) {
            if (peer == MPI_PROC_NULL || !setting.nonlocal(rank, peer))
                continue;
            ++blocks;
            pairs.emplace(setting.topology.component(rank),
                          by_rank ? rank : setting.regions[static_cast<std::size_t>(rank)],
                          setting.regions[static_cast<std::size_t>(peer)]);
        }
    }
    const unsigned long long headers =
        pairs.size() * sizeof(nbrhood::Header) + blocks * sizeof(std::uint64_t);
    const auto calls = static_cast<unsigned long long>(with_header + without);
    unsigned long long all[2] = {got.messages[1], got.bytes[1]};
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, setting.parent);
    for (const std::string &wrong :
         {compare("messages_nonlocal of all ranks", all[0], calls * pairs.size()),
          compare("bytes_nonlocal of all ranks", all[1],
                  calls * blocks * kBlockBytes
                      + static_cast<unsigned long long>(with_header) * headers)})
        context.expect(wrong.empty(), wrong);
}

// Calls of alltoallv, or of allgatherv if the algorithm does not serve alltoallv, in all variants.
void call_and_compare(Context &context, const Setting &setting)
{
    const Pvars pvars;
    context.expect(pvars.failure().empty(), pvars.failure());
    Workload workload;
    workload.ints = [](Endpoint) { return 2; };
    Exercise exercise;
    exercise.rounds = kRounds;
    const Operation operation = serves(context.algorithm, Operation::alltoallv)
                                    ? Operation::alltoallv
                                    : Operation::allgatherv;
    std::vector<EntryPoint> entries;
    int with_header = 0, without = 0;
    for (Variant variant : {Variant::blocking, Variant::nonblocking, Variant::persistent}) {
        entries.push_back(entry_point(operation, variant));
        with_header += variant == Variant::persistent ? 1 : kRounds;
        without += variant == Variant::persistent ? kRounds - 1 : 0;
    }
    const Communicator comm =
        make_communicator(setting.parent, setting.topology, context.algorithm);
    run_entries(context, entries, comm, setting.topology, workload, exercise);

    const int calls = with_header + without;
    const bool takes_part = setting.topology.has_edges(setting.rank);
    for (const std::string &wrong :
         {compare("calls", pvars.count("calls"),
                  takes_part ? static_cast<unsigned long long>(calls) : 0),
          compare("topologies", pvars.count("topologies"), 1)})
        context.expect(wrong.empty(), wrong);
    const double seconds = pvars.seconds("creation_time");
    context.expect(seconds > 0 && seconds < 600, "creation_time is " + std::to_string(seconds));
    const Sent got = sent(pvars);
    if (context.algorithm == "direct") {
        check_direct(context, setting, calls, got);
    } else if ((context.algorithm == "aggregated" || context.algorithm == "two_step")
               && !setting.regions.empty()
               && component_parameter("inject_failure")
                      .empty()) { // a size that would make the block direct
        check_aggregated(context, setting, with_header, without, got);
        // A relay that received a message had a buffer for it, and its plan still exists.
        unsigned long long most[2] = {pvars.count("buffer_bytes"), got.messages[1]};
        MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, setting.parent);
        context.expect(most[1] == 0 || most[0] >= sizeof(nbrhood::Header),
                       "buffer_bytes is " + std::to_string(most[0]) + " on all ranks");
    }
}

void pvars(Context &context)
{
    if (Parameters().component_present()) {
        const Topology topology = context.random_topology(0.4);
        call_and_compare(context,
                         {MPI_COMM_WORLD, context.rank, topology, find_regions(context.size)});
    }
}

// Two communicators with every second rank each, in descending order: a rank's number in the
// communicator does not give its place on the machine.
void pvars_in_part(Context &context)
{
    if (!Parameters().component_present())
        return;
    const std::vector<int> world = find_regions(context.size);
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, context.rank % 2, -context.rank, &part);
    const Communicator owner(part);
    std::vector<int> regions;
    for (int rank = context.size - 1; rank >= 0 && !world.empty(); --rank) {
        if (rank % 2 == context.rank % 2)
            regions.push_back(world[static_cast<std::size_t>(rank)]);
    }
    const Topology topology = Topology::from_edges(
        owner.size(), random_edges(owner.size(), 0.5, context.seed), context.seed);
    call_and_compare(context, {part, owner.rank(), topology, regions});
}

// One message per edge in two cases: the info key says that blocks are too large to be combined,
// and auto decides at creation; or the key differs between ranks.
void info_block_bytes(Context &context)
{
    if (!Parameters().component_present() || Parameters().builds_later())
        return;
    const Topology topology = Topology::from_edges(
        context.size, random_edges(context.size, 0.5, context.seed), context.seed);
    Workload workload;
    workload.ints = [](Endpoint) { return 2; };
    Exercise exercise;
    exercise.rounds = kRounds;
    const std::vector<EntryPoint> entries{entry_point(Operation::alltoallv, Variant::blocking)};
    for (const bool differ : {false, true}) {
        const Pvars pvars;
        Construction construction;
        construction.block_bytes = differ && context.rank == 0 ? "1073741823" : "1073741824";
        const Communicator comm = make_communicator(MPI_COMM_WORLD, topology, "auto", construction);
        run_entries(context, entries, comm, topology, workload, exercise);
        const bool counted = topology.has_edges(context.rank);
        const std::string wrong = compare("calls", pvars.count("calls"), counted ? kRounds : 0);
        context.expect(wrong.empty(), wrong);
        check_direct(context, {MPI_COMM_WORLD, context.rank, topology, {}}, kRounds, sent(pvars));
    }
}

} // namespace

const std::vector<Case> &pvar_cases()
{
    static const std::vector<Case> cases = {
        {"pvars", pvars}, {"pvars-in-part", pvars_in_part}, {"info-block-bytes", info_block_bytes}};
    return cases;
}

} // namespace nbrhood_test
