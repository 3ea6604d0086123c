// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "alltoallv_call.h"

#include "common_pending.h"
#include "common_persistent.h"
#include "common_random.h"
#include "common_run.h"

namespace nbrhood_test {

namespace {

/// A number of ints that all types with data divide.
constexpr int all_types = 6;

constexpr TypeKind filled_kinds[] = {TypeKind::integer,  TypeKind::contiguous3,
                                     TypeKind::vector3,  TypeKind::resized,
                                     TypeKind::reversed, TypeKind::negative_bound};

bool is_empty(TypeKind kind)
{
    return kind == TypeKind::zero_size || kind == TypeKind::zero_size_padded;
}

} // namespace

AlltoallvCall::AlltoallvCall(MPI_Comm comm, const std::vector<int> &world_ranks,
                             AlltoallvArguments arguments)
    : comm_(comm), world_ranks_(world_ranks), arguments_(std::move(arguments))
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    own_ = world_ranks_[static_cast<std::size_t>(rank)];
    receive_.receives = true;
    describe(receive_);
    if (!arguments_.in_place)
        describe(send_);
}

int AlltoallvCall::source(const Half &half, std::size_t peer) const
{
    return half.receives ? world_ranks_[peer] : own_;
}

int AlltoallvCall::destination(const Half &half, std::size_t peer) const
{
    return half.receives ? own_ : world_ranks_[peer];
}

// Empty types are not drawn in place: there Open MPI looks at counts only, and waits for a message
// that a rank with count 0 does not send (STOCK-BUGS.md).
TypeKind AlltoallvCall::kind(bool receives, int source, int destination) const
{
    if (!arguments_.derived)
        return TypeKind::integer;
    const int owner = receives ? destination : source;
    const std::uint64_t drawn = arguments_.typed
                                    ? hash_of(arguments_.seed, receives, source, destination)
                                    : hash_of(arguments_.seed, receives, owner);
    if (!arguments_.in_place && drawn % 8 == 0)
        return drawn % 16 == 0 ? TypeKind::zero_size : TypeKind::zero_size_padded;
    return filled_kinds[drawn / 16 % std::size(filled_kinds)];
}

int AlltoallvCall::ints(int source, int destination) const
{
    const int wanted = arguments_.ints(source, destination);
    if (!arguments_.derived)
        return wanted;
    if (is_empty(kind(true, source, destination)) || is_empty(kind(false, source, destination)))
        return 0;
    return (wanted + all_types - 1) / all_types * all_types;
}

/// A type without data has a count that is not 0. Open MPI's own nonblocking functions skip a
/// message only if the count is 0 (STOCK-BUGS.md), so that both ends must have such a type there.
int AlltoallvCall::count(const TypeModel &type, int ints, int source, int destination) const
{
    const bool both =
        is_empty(kind(true, source, destination)) && is_empty(kind(false, source, destination));
    return type.ints() == 0 && !both && arguments_.variant != Variant::blocking
               ? 0
               : type.count_for(ints);
}

int AlltoallvCall::value(int source, int destination, int index) const
{
    return static_cast<int>(hash_of(arguments_.seed, round_, source, destination, index));
}

void AlltoallvCall::describe(Half &half)
{
    for (std::size_t peer = 0; peer < world_ranks_.size(); ++peer) {
        const int from = source(half, peer), to = destination(half, peer);
        if (arguments_.typed || half.types.empty())
            half.types.emplace_back(kind(half.receives, from, to));
        Block block;
        block.type = half.types.size() - 1;
        block.ints = ints(from, to);
        half.blocks.push_back(block);
        half.counts.push_back(count(half.types.back(), block.ints, from, to));
        half.handles.push_back(half.types.back().handle());
    }
    place(half);
}

// Blocks lie in an order of their own, some with gaps between them. Displacements of empty blocks
// mean nothing.
void AlltoallvCall::place(Half &half)
{
    const std::uint64_t seed = hash_of(arguments_.seed, own_, half.receives);
    half.displs.resize(half.blocks.size());
    std::ptrdiff_t position = 0;
    for (std::size_t peer : random_order(half.blocks.size(), seed)) {
        Block &block = half.blocks[peer];
        const TypeModel &type = half.types[block.type];
        const std::uint64_t drawn = hash_of(seed, peer);
        if (block.ints == 0) {
            half.displs[peer] = static_cast<int>(drawn % 9);
            continue;
        }
        const std::ptrdiff_t unit =
            arguments_.typed ? static_cast<std::ptrdiff_t>(sizeof(int)) : type.extent();
        block.at = position + (type.offset_of(0) < 0 ? type.extent() : 0);
        position = block.at + type.count_for(block.ints) * type.extent()
                   + static_cast<std::ptrdiff_t>(drawn % 3) * unit;
        half.displs[peer] = static_cast<int>(arguments_.typed ? block.at : block.at / unit);
    }
    half.buffer.reserve(0, position);
    half.expected = half.buffer.like();
}

/// Writes the blocks. `swapped`: into the receive buffer, the data that this rank sends in place.
void AlltoallvCall::fill(Half &half, GuardedBuffer &buffer, bool swapped) const
{
    buffer.clear();
    for (std::size_t peer = 0; peer < half.blocks.size(); ++peer) {
        const Block &block = half.blocks[peer];
        int from = source(half, peer), to = destination(half, peer);
        if (swapped)
            std::swap(from, to);
        for (int i = 0; i < block.ints; ++i)
            buffer.put(block.at + half.types[block.type].offset_of(i), value(from, to, i));
    }
}

void AlltoallvCall::prepare(int round)
{
    round_ = round;
    fill(receive_, receive_.expected, false);
    if (arguments_.in_place) {
        fill(receive_, receive_.buffer, true);
        return;
    }
    receive_.buffer.clear();
    fill(send_, send_.buffer, false);
    fill(send_, send_.expected, false);
}

std::string AlltoallvCall::name() const
{
    const char *const prefix =
        arguments_.variant == Variant::nonblocking ? "MPI_Ialltoall" : "MPI_Alltoall";
    return prefix + std::string(arguments_.typed ? "w" : "v") + (persistent() ? "_init" : "")
           + (arguments_.in_place ? " in place" : "");
}

std::string AlltoallvCall::invoke()
{
    const bool in_place = arguments_.in_place;
    const void *from = in_place ? MPI_IN_PLACE : send_.buffer.origin();
    void *to = receive_.buffer.origin();
    const int *sends = in_place ? nullptr : send_.counts.data();
    const int *send_displs = in_place ? nullptr : send_.displs.data();
    const int *receives = receive_.counts.data(), *displs = receive_.displs.data();
    const MPI_Datatype *send_types = in_place ? nullptr : send_.handles.data();
    const MPI_Datatype *types = receive_.handles.data();
    MPI_Datatype sent = in_place ? MPI_DATATYPE_NULL : send_.handles.front();
    int code = MPI_SUCCESS;
    if (arguments_.typed) {
        switch (arguments_.variant) {
        case Variant::blocking:
            code = MPI_Alltoallw(from, sends, send_displs, send_types, to, receives, displs, types,
                                 comm_);
            break;
        case Variant::nonblocking:
            code = MPI_Ialltoallw(from, sends, send_displs, send_types, to, receives, displs, types,
                                  comm_, &request_);
            break;
        case Variant::persistent:
            code = NBRHOOD_TEST_PERSISTENT(Alltoallw_init)(from, sends, send_displs, send_types, to,
                                                           receives, displs, types, comm_,
                                                           MPI_INFO_NULL, &request_);
        }
    } else {
        switch (arguments_.variant) {
        case Variant::blocking:
            code = MPI_Alltoallv(from, sends, send_displs, sent, to, receives, displs, types[0],
                                 comm_);
            break;
        case Variant::nonblocking:
            code = MPI_Ialltoallv(from, sends, send_displs, sent, to, receives, displs, types[0],
                                  comm_, &request_);
            break;
        case Variant::persistent:
            code = NBRHOOD_TEST_PERSISTENT(Alltoallv_init)(from, sends, send_displs, sent, to,
                                                           receives, displs, types[0], comm_,
                                                           MPI_INFO_NULL, &request_);
        }
    }
    return failed_call("the call", code);
}

std::string AlltoallvCall::start()
{
    return failed_call("MPI_Start", MPI_Start(&request_));
}

std::string AlltoallvCall::finish()
{
    if (arguments_.variant != Variant::blocking) {
        const std::string failure = failed_call("MPI_Wait", MPI_Wait(&request_, MPI_STATUS_IGNORE));
        if (!failure.empty())
            return failure;
    }
    std::string failure = compare(receive_, "receive");
    return failure.empty() && !arguments_.in_place ? compare(send_, "send") : failure;
}

std::string AlltoallvCall::compare(Half &half, const char *buffer) const
{
    bool found = false;
    const std::ptrdiff_t at = half.buffer.first_difference(half.expected, found);
    if (!found)
        return "";
    std::string where = "outside of all blocks";
    for (std::size_t peer = 0; peer < half.blocks.size(); ++peer) {
        const Block &block = half.blocks[peer];
        for (int i = 0; i < block.ints; ++i) {
            const std::ptrdiff_t begin = block.at + half.types[block.type].offset_of(i);
            if (at >= begin && at < begin + static_cast<std::ptrdiff_t>(sizeof(int)))
                where = "in int " + std::to_string(i) + " of " + std::to_string(block.ints)
                        + " from rank " + std::to_string(source(half, peer)) + " to rank "
                        + std::to_string(destination(half, peer));
        }
    }
    return "byte " + std::to_string(at) + " of the " + buffer + " buffer is wrong, " + where
           + ", round " + std::to_string(round_);
}

void AlltoallvCall::free_types()
{
    for (Half *half : {&send_, &receive_})
        for (TypeModel &type : half->types)
            type.free();
}

std::string AlltoallvCall::free()
{
    return request_ == MPI_REQUEST_NULL
               ? ""
               : failed_call("MPI_Request_free", MPI_Request_free(&request_));
}

} // namespace nbrhood_test
