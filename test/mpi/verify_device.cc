// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases on buffers in device memory that check more than results: the number of copies, blocks of
// one call in several memories, failing copies, missing memory. They run only with --buffers device
// or mixed, which tell the component of the imitated device.
#include "common_mpi_t.h"
#include "common_random.h"
#include "verify_case.h"

#include <array>
#include <cstdlib>
#include <memory>

namespace nbrhood_test {

namespace {

// Neighbours at distance 1 and 2 on both sides, so that all ranks have equally many.
Topology ring(const Context &context)
{
    EdgeList edges;
    for (int rank = 0; rank < context.size; ++rank) {
        for (int step : {-2, -1, 1, 2})
            edges.push_back({rank, ((rank + step) % context.size + context.size) % context.size});
    }
    return Topology::from_edges(context.size, edges, context.seed);
}

std::vector<EntryPoint> served_entries(const Context &context)
{
    std::vector<EntryPoint> chosen;
    for (const EntryPoint &entry : context.entries) {
        if (serves(context.algorithm, entry.operation))
            chosen.push_back(entry);
    }
    return chosen;
}

/// Whether calls with contiguous blocks go from device to device in this run: Open MPI's PML can
/// copy device memory and the algorithm passes blocks on unchanged. With auto some calls may.
enum class Goes { never, some, always };
Goes from_device_to_device(const Context &context)
{
    constexpr int open_mpi = 2; // a value of coll_nbrhood_device
    const Parameters parameters;
    const char *pml = std::getenv("OMPI_MCA_pml");
    if (parameters.read("coll_nbrhood_device", 0) != open_mpi
        || parameters.read("coll_nbrhood_device_above", -1) != 0 || pml == nullptr
        || std::string(pml) != "ob1")
        return Goes::never;
    return context.algorithm == "direct" || context.algorithm == "leader_scatter" ? Goes::always
           : context.algorithm == "auto"                                          ? Goes::some
                                                                                  : Goes::never;
}

/// Makes the call, starts it if it is persistent, and waits; returns the first error.
int call(const EntryPoint &entry, const CallArguments &arguments, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = entry.invoke(arguments, comm, &request);
    if (entry.variant == Variant::persistent && code == MPI_SUCCESS) {
        code = MPI_Start(&request);
        const int waited = code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
        MPI_Request_free(&request);
        return waited;
    }
    return code == MPI_SUCCESS && entry.variant == Variant::nonblocking
               ? MPI_Wait(&request, MPI_STATUS_IGNORE)
               : code;
}

// Contiguous blocks in a row take one copy for all send blocks, and one for all receive blocks.
void copies(Context &context)
{
    if (from_device_to_device(context) != Goes::never)
        return;
    const Topology topology = ring(context);
    const Communicator comm = context.create(topology);
    for (const EntryPoint &entry : served_entries(context)) {
        if (has_counts(entry.operation))
            continue; // blocks with gaps between them
        Pending pending(entry, topology, context.rank, Workload(), context.seed);
        for (int round = 0; round < 2; ++round) {
            pending.prepare(round);
            const DeviceUse before = device_use();
            context.check(entry, pending.invoke(comm.get()));
            if (entry.variant == Variant::persistent)
                context.check(entry, pending.start());
            context.check(entry, pending.wait());
            if (entry.variant == Variant::persistent)
                context.check(entry, pending.free());
            const DeviceUse after = device_use();
            const unsigned long wanted[2] = {is_on_device(context.rank, 0) ? 1UL : 0UL,
                                             is_on_device(context.rank, 1) ? 1UL : 0UL};
            if (after.copies_out - before.copies_out != wanted[0]
                || after.copies_in - before.copies_in != wanted[1])
                context.fail(&entry,
                             "a call makes " + std::to_string(after.copies_out - before.copies_out)
                                 + " copies from the device and "
                                 + std::to_string(after.copies_in - before.copies_in) + " to it");
        }
    }
}

// Calls go from device to device if they can, and are right.
void on_device(Context &context)
{
    const Topology topology = ring(context);
    const Communicator comm = context.create(topology);
    const Pvars pvars;
    const Goes goes = from_device_to_device(context);
    const bool stays =
        goes == Goes::always && (is_on_device(context.rank, 0) || is_on_device(context.rank, 1));
    for (const EntryPoint &entry : served_entries(context)) {
        Exchange exchange(topology, context.rank, entry.operation,
                          varied_workload(context.seed, 5000), context.seed);
        const unsigned long long before = pvars.count("calls_on_device");
        exchange.prepare(0);
        succeeded(context, &entry, call(entry, exchange.arguments(), comm.get()), "the call");
        context.check(entry, exchange.check());
        const unsigned long long calls = pvars.count("calls_on_device") - before;
        if (goes != Goes::some && calls != (stays ? 1U : 0U))
            context.fail(&entry, std::to_string(calls) + " calls from device to device");
    }
}

// The buffers of a persistent request change memory at each start, at the same addresses.
void memory_changes(Context &context)
{
    if (context.algorithm == "default")
        return; // Open MPI's own requests get the buffers of the init
    const Topology topology = context.random_topology(0.4);
    const Communicator comm = context.create(topology);
    for (const EntryPoint &entry : served_entries(context)) {
        if (entry.variant != Variant::persistent)
            continue;
        for (int kind = 0; kind < 3; ++kind) {
            Workload workload = varied_workload(context.seed, kind == 0 ? 40 : 3000);
            if (kind == 2)
                workload.type = [](Side side, int, int) {
                    return side == Side::send ? TypeKind::vector3 : TypeKind::integer;
                };
            if (kind == 2)
                workload.ints = [](Endpoint e) { return 3 * (e.rank % 4 + e.slot % 3); };
            auto transfer = std::make_unique<Exchange>(topology, context.rank, entry.operation,
                                                       workload, context.seed);
            Exchange &exchange = *transfer;
            Pending pending(entry, std::move(transfer));
            for (int start = 0; start < 12; ++start) {
                const std::uint64_t chosen = hash_of(context.seed, context.rank, start / 2, kind);
                exchange.allocate_again(chosen % 2 == 0, chosen / 2 % 2 == 0);
                pending.prepare(start);
                if (start == 0) // a third kind of memory before the first start
                    context.check(entry, pending.invoke(comm.get()));
                if (start == 0 && chosen % 3 == 0) {
                    exchange.allocate_again(chosen % 2 != 0, chosen / 2 % 2 != 0);
                    pending.prepare(start);
                }
                context.check(entry, pending.start());
                context.check(entry, pending.wait());
            }
            context.check(entry, pending.free());
        }
    }
}

/// One int for each neighbour, each in memory of its own: on the host, or on one of the devices.
class ScatteredInts {
public:
    ScatteredInts(std::size_t count, std::uint64_t seed) : host_(count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            device_.emplace_back(hash_of(seed, i) % 3 != 0 ? DeviceMemory(sizeof(int))
                                                           : DeviceMemory());
            MPI_Aint at = 0;
            MPI_Get_address(device_[i] ? device_[i].address() : static_cast<void *>(&host_[i]),
                            &at);
            places_.push_back(at);
        }
        places_.push_back(0);
        counts_.assign(places_.size(), 1);
        types_.assign(places_.size(), MPI_INT);
    }
    int &at(std::size_t i)
    {
        return device_[i] ? *reinterpret_cast<int *>(device_[i].contents()) : host_[i];
    }
    SideArguments arguments() const
    {
        SideArguments side;
        side.buffer = MPI_BOTTOM;
        side.counts = counts_.data();
        side.byte_displs = places_.data();
        side.types = types_.data();
        return side;
    }

private:
    std::vector<int> host_;
    std::vector<DeviceMemory> device_;
    std::vector<MPI_Aint> places_;
    std::vector<int> counts_;
    std::vector<MPI_Datatype> types_;
};

void scattered(Context &context)
{
    const Topology topology = ring(context);
    const Communicator comm = context.create(topology);
    const std::size_t degree = topology.at(context.rank).out.size();
    for (const EntryPoint &entry : served_entries(context)) {
        if (entry.operation != Operation::alltoallw)
            continue;
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            ScatteredInts sent(degree, hash_of(seed, context.rank, 0));
            ScatteredInts received(degree, hash_of(seed, context.rank, 1));
            for (std::size_t i = 0; i < degree; ++i)
                sent.at(i) = context.rank * 100 + static_cast<int>(i);
            const CallArguments arguments{sent.arguments(), received.arguments()};
            succeeded(context, &entry, call(entry, arguments, comm.get()), "the call");
            for (std::size_t i = 0; i < degree; ++i) {
                const Endpoint source = topology.source_of(context.rank, static_cast<int>(i));
                if (received.at(i) != source.rank * 100 + source.slot)
                    context.fail(&entry, "slot " + std::to_string(i) + " is wrong");
            }
        }
    }
}

// The n-th copy of each rank fails: the first before anything is sent, the second after everything
// was sent.
void failing_copies(Context &context)
{
    if (!is_on_device(0, 0) || !is_on_device(1, 1))
        return; // with mixed buffers a rank that fails before the call lets others wait
    const Topology topology = ring(context);
    const Communicator comm = context.create(topology);
    for (const EntryPoint &entry : served_entries(context)) {
        if (has_counts(entry.operation))
            continue;
        for (unsigned long n : {1UL, 2UL}) {
            Exchange exchange(topology, context.rank, entry.operation, Workload(), context.seed);
            exchange.prepare(0);
            fail_copy(n);
            if (call(entry, exchange.arguments(), comm.get()) == MPI_SUCCESS)
                context.fail(&entry, "a copy failed, the call did not");
            fail_copy(0);
            exchange.prepare(1);
            succeeded(context, &entry, call(entry, exchange.arguments(), comm.get()),
                      "the next call");
            context.check(entry, exchange.check());
        }
    }
}

// A block that spans 64 TiB has no mirror.
void no_memory(Context &context)
{
    if (!is_on_device(0, 0) || !is_on_device(1, 1))
        return;
    const Topology topology = ring(context);
    const Communicator comm = context.create(topology);
    const std::size_t degree = topology.at(context.rank).out.size();
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Aint, 2> places{0, MPI_Aint{1} << 46};
    MPI_Datatype wide = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(2, lengths.data(), places.data(), MPI_INT, &wide);
    MPI_Type_commit(&wide);
    const DeviceMemory memory(sizeof(int) * (degree + 1));
    SideArguments side;
    side.buffer = memory.address();
    side.count = 1;
    side.type = wide;
    const std::vector<int> counts(degree + 1, 1), displs(degree + 1, 0);
    const std::vector<MPI_Aint> byte_displs(degree + 1, 0);
    const std::vector<MPI_Datatype> types(degree + 1, wide);
    side.counts = counts.data();
    side.displs = displs.data();
    side.byte_displs = byte_displs.data();
    side.types = types.data();
    for (const EntryPoint &entry : served_entries(context)) {
        if (call(entry, {side, side}, comm.get()) == MPI_SUCCESS)
            context.fail(&entry, "a call succeeds without memory");
    }
    MPI_Type_free(&wide);
}

} // namespace

const std::vector<Case> &device_cases()
{
    static const std::vector<Case> cases = {{"device-copies", copies},
                                            {"device-on-device", on_device},
                                            {"device-memory-changes", memory_changes},
                                            {"device-scattered", scattered},
                                            {"device-failing-copies", failing_copies},
                                            {"device-no-memory", no_memory}};
    return cases;
}

} // namespace nbrhood_test
