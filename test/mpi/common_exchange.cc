// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_exchange.h"

#include "common_random.h"

#include <algorithm>
#include <numeric>

namespace nbrhood_test {

Exchange::Exchange(const Topology &topology, int rank, Operation operation,
                   const Workload &workload, std::uint64_t seed)
    : topology_(topology), rank_(rank), operation_(operation), workload_(workload), seed_(seed)
{
    describe_send();
    describe_recv();
    place(send_, Side::send, !has_counts(operation) || is_gather(operation));
    place(recv_, Side::recv, !has_counts(operation));
}

void Exchange::describe_send()
{
    const int uniform = uniform_ints();
    const std::vector<int> &out = topology_.at(rank_).out;
    // The allgathers send one block, whatever the number of neighbours.
    const std::size_t blocks = is_gather(operation_) ? 1 : out.size();
    for (std::size_t i = 0; i < blocks; ++i) {
        Slot slot;
        slot.source = {rank_, static_cast<int>(i)};
        slot.ints = has_counts(operation_) ? workload_.ints(slot.source) : uniform;
        send_.slots.push_back(slot);
    }
}

void Exchange::describe_recv()
{
    const int uniform = uniform_ints();
    const std::size_t blocks = topology_.at(rank_).in.size();
    for (std::size_t i = 0; i < blocks; ++i) {
        Slot slot;
        slot.source = topology_.source_of(rank_, static_cast<int>(i));
        if (is_gather(operation_))
            slot.source.slot = 0;
        // A slot of MPI_PROC_NULL has room like the others and must stay untouched.
        const bool null = slot.source.rank == MPI_PROC_NULL;
        slot.ints = !has_counts(operation_) ? uniform : null ? 6 : workload_.ints(slot.source);
        recv_.slots.push_back(slot);
    }
}

int Exchange::uniform_ints() const
{
    return has_counts(operation_) ? 0 : workload_.uniform_ints(topology_.component(rank_));
}

// Chooses types, counts and places of one side. Blocks of operations with displacements are placed
// in an order of their own and with gaps, so that the test detects a component that assumes packed
// buffers.
void Exchange::place(Half &half, Side side, bool in_order)
{
    const bool own_types = operation_ == Operation::alltoallw;
    const std::size_t blocks = half.slots.size();
    const std::size_t types = own_types ? blocks : 1;
    half.types.reserve(types);
    for (std::size_t i = 0; i < types; ++i) {
        half.types.emplace_back(workload_.type(side, rank_, static_cast<int>(i)));
    }

    std::vector<std::size_t> order(blocks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random(hash_of(seed_, rank_, side == Side::send ? 1 : 2));
    if (!in_order)
        random.shuffle(order);

    // One entry more than needed: Open MPI rejects null pointers even if there is nothing to
    // describe.
    half.counts.resize(blocks + 1);
    half.displs.resize(blocks + 1);
    half.byte_displs.resize(blocks + 1);
    std::ptrdiff_t cursor = 0, lowest = 0, highest = 0;
    for (std::size_t i : order) {
        Slot &slot = half.slots[i];
        slot.type = own_types ? i : 0;
        const TypeModel &type = half.types[slot.type];
        if (type.ints() == 0)
            slot.ints = 0;
        const int count = type.count_for(slot.ints);
        if (!in_order)
            cursor += type.extent() * random.below(3);
        slot.at = cursor;
        half.counts[i] = count;
        half.displs[i] = type.extent() == 0 ? 0 : static_cast<int>(cursor / type.extent());
        half.byte_displs[i] = cursor;
        cursor += count * type.extent();
        for (int k : {0, slot.ints - 1}) {
            for (int near = 0; near < type.ints() && slot.ints > 0; ++near) {
                const int index = k == 0 ? std::min(near, slot.ints - 1) : std::max(0, k - near);
                lowest = std::min(lowest, slot.at + type.offset_of(index));
                highest = std::max<std::ptrdiff_t>(highest, slot.at + type.offset_of(index) + 4);
            }
        }
        if (own_types)
            cursor += 8; // room below the origin of a type with a negative lower bound
    }
    // A side without neighbours still passes the common count: Open MPI's own
    // MPI_Neighbor_allgather returns early when either count is zero, and would then not send.
    if (!own_types) {
        const int ints = has_counts(operation_) && blocks > 0 ? half.slots[0].ints : uniform_ints();
        half.count = half.types[0].count_for(ints);
    }
    half.buffer.reserve(lowest, highest, is_on_device(rank_, side == Side::send ? 0 : 1));
    half.expected.reserve(lowest, highest);
    if (workload_.bottom) {
        for (TypeModel &type : half.types)
            type.make_absolute(half.buffer.origin());
    }
    for (const TypeModel &type : half.types)
        half.handles.push_back(type.handle());
    half.handles.push_back(MPI_INT);
}

int Exchange::value(Endpoint source, int index) const
{
    return static_cast<int>(hash_of(seed_, round_, source.rank, source.slot, index) >> 33);
}

void Exchange::prepare(int round)
{
    round_ = round;
    for (Half *half : {&send_, &recv_}) {
        half->buffer.clear();
        half->expected.clear();
        for (const Slot &slot : half->slots) {
            if (slot.source.rank == MPI_PROC_NULL)
                continue;
            const TypeModel &type = half->types[slot.type];
            for (int k = 0; k < slot.ints; ++k) {
                const std::ptrdiff_t at = slot.at + type.offset_of(k);
                half->expected.put(at, value(slot.source, k));
                if (half == &send_)
                    half->buffer.put(at, value(slot.source, k));
            }
        }
        half->buffer.to_device();
    }
}

SideArguments Exchange::side_arguments(Half &half)
{
    SideArguments side;
    side.buffer = workload_.bottom ? MPI_BOTTOM : half.buffer.origin();
    side.count = half.count;
    side.type = half.handles[0];
    side.counts = half.counts.data();
    side.displs = half.displs.data();
    side.byte_displs = half.byte_displs.data();
    side.types = half.handles.data();
    return side;
}

void Exchange::allocate_again(bool send_on_device, bool receive_on_device)
{
    send_.buffer.allocate_again(send_on_device);
    recv_.buffer.allocate_again(receive_on_device);
}

CallArguments Exchange::arguments()
{
    return {side_arguments(send_), side_arguments(recv_)};
}

void Exchange::free_types()
{
    for (Half *half : {&send_, &recv_}) {
        for (TypeModel &type : half->types)
            type.free();
    }
}

void Exchange::scramble_arrays()
{
    for (Half *half : {&send_, &recv_}) {
        std::fill(half->counts.begin(), half->counts.end(), -77);
        std::fill(half->displs.begin(), half->displs.end(), 1 << 28);
        std::fill(half->byte_displs.begin(), half->byte_displs.end(), MPI_Aint{1} << 40);
        std::fill(half->handles.begin(), half->handles.end(), MPI_DATATYPE_NULL);
    }
}

std::string Exchange::check()
{
    for (Half *half : {&recv_, &send_}) {
        bool found = false;
        half->buffer.from_device();
        const std::ptrdiff_t at = half->buffer.first_difference(half->expected, found);
        if (!found)
            continue;
        std::string where = "outside of every block";
        for (std::size_t i = 0; i < half->slots.size(); ++i) {
            const Slot &slot = half->slots[i];
            const TypeModel &type = half->types[slot.type];
            for (int k = 0; k < slot.ints; ++k) {
                const std::ptrdiff_t offset = at - slot.at - type.offset_of(k);
                if (offset < 0 || offset >= 4)
                    continue;
                where = "slot " + std::to_string(i) + " of " + std::to_string(half->slots.size())
                        + ", int " + std::to_string(k) + " of " + std::to_string(slot.ints)
                        + (slot.source.rank == MPI_PROC_NULL
                               ? " (MPI_PROC_NULL: must stay untouched)"
                               : ", from rank " + std::to_string(slot.source.rank));
            }
        }
        return std::string(half == &recv_ ? "receive" : "send") + " buffer differs, round "
               + std::to_string(round_) + ", " + where;
    }
    return {};
}

} // namespace nbrhood_test
