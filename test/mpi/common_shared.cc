// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_shared.h"

#include "common_random.h"
#include "common_shared_types.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace nbrhood_test {

SharedExchange::SharedExchange(const Topology &topology, int rank, const SharedWorkload &workload,
                               std::uint64_t seed)
    : topology_(topology), rank_(rank), workload_(workload), seed_(seed), send_(workload.send),
      recv_(workload.recv)
{
    describe();
    const std::uint64_t place = hash_of(seed_, rank_, 3), choice = hash_of(seed_, rank_, 4);
    if (workload_.in == ValuesIn::packed)
        place_in_blocks(send_, place);
    else
        place_in_vector();
    if (workload_.in == ValuesIn::types)
        scatter();
    else
        place_in_blocks(recv_, mix(place));
    make_types(send_, choice);
    make_types(recv_, mix(choice));
    make_indices(send_);
    make_indices(recv_);
    const Indices given = workload_.indices;
    send_.indices_given = given == Indices::both || given == Indices::send_only;
    recv_.indices_given = given == Indices::both || given == Indices::recv_only;
    reserve(send_);
    reserve(recv_);
}

void SharedExchange::describe()
{
    for (int slot = 0; slot < static_cast<int>(topology_.at(rank_).out.size()); ++slot) {
        const Endpoint source{rank_, slot};
        send_.blocks.push_back({source, workload_.values(source), {}});
    }
    for (int slot = 0; slot < static_cast<int>(topology_.at(rank_).in.size()); ++slot) {
        const Endpoint source = topology_.source_of(rank_, slot);
        // A slot of MPI_PROC_NULL has room like the others and must stay untouched.
        const bool null = source.rank == MPI_PROC_NULL;
        recv_.blocks.push_back(
            {source, null ? std::vector<int>{0, 1, 2} : workload_.values(source), {}});
    }
}

/// Value v is element v of the send buffer, whichever neighbour gets it.
void SharedExchange::place_in_vector()
{
    for (Block &block : send_.blocks) {
        for (int value : block.values)
            block.at.push_back(value * send_.element.extent());
    }
}

// Each block has elements of its own. The blocks lie in random order and with gaps.
void SharedExchange::place_in_blocks(Half &half, std::uint64_t seed)
{
    std::vector<std::size_t> order(half.blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random(seed);
    random.shuffle(order);
    std::ptrdiff_t next = 0;
    for (std::size_t i : order) {
        next += random.below(3);
        for (std::size_t k = 0; k < half.blocks[i].values.size(); ++k)
            half.blocks[i].at.push_back(next++ * half.element.extent());
    }
}

// Received elements go to random places in the receive buffer; blocks that must be ranges get
// ranges.
void SharedExchange::scatter()
{
    int room = 0;
    for (const Block &block : recv_.blocks)
        room += static_cast<int>(block.values.size());
    std::vector<std::ptrdiff_t> places(static_cast<std::size_t>(room) + 5);
    std::iota(places.begin(), places.end(), std::ptrdiff_t{0});
    std::ptrdiff_t behind = static_cast<std::ptrdiff_t>(places.size());
    Random(hash_of(seed_, rank_, 5)).shuffle(places);
    std::size_t next = 0;
    for (Block &block : recv_.blocks) {
        const bool range =
            block.source.rank != MPI_PROC_NULL && workload_.view(block.source) == View::words;
        for (std::size_t k = 0; k < block.values.size(); ++k)
            block.at.push_back((range ? behind++ : places[next++]) * recv_.element.extent());
    }
}

void SharedExchange::make_types(Half &half, std::uint64_t seed)
{
    const bool typed = workload_.in == ValuesIn::types;
    for (std::size_t i = 0; i < half.blocks.size(); ++i) {
        const Block &block = half.blocks[i];
        const int count = static_cast<int>(block.values.size());
        TypedBlock made{block.at.empty() ? 0 : block.at[0], count, half.element.handle(), false};
        const bool null = block.source.rank == MPI_PROC_NULL;
        const View view = typed && !null ? workload_.view(block.source) : View::elements;
        if (typed && view == View::words) {
            made.count = count * half.element.bytes() / 8;
            made.type = MPI_INT64_T;
        } else if (typed && view == View::characters) {
            MPI_Datatype characters = MPI_DATATYPE_NULL;
            MPI_Type_contiguous(half.element.bytes(), MPI_CHAR, &characters);
            made = pick_elements(block.at, characters, hash_of(seed, i));
            if (made.owned) {
                MPI_Type_free(&characters);
            } else {
                MPI_Type_commit(&characters);
                made = {made.displ, made.count, characters, true};
            }
        } else if (typed) {
            made = pick_elements(block.at, half.element.handle(), hash_of(seed, i));
        }
        half.counts.push_back(made.count);
        half.displs.push_back(static_cast<int>(made.displ / half.element.extent()));
        half.byte_displs.push_back(made.displ);
        half.handles.push_back(made.type);
        if (made.owned)
            half.owned.push_back(made.type);
    }
    // Open MPI rejects null pointers even if there is nothing to describe.
    half.counts.push_back(0);
    half.displs.push_back(0);
    half.byte_displs.push_back(0);
    half.handles.push_back(half.element.handle());
}

// A rank and a value give a number of all 64 bits, negative ones too, that no other pair has.
void SharedExchange::make_indices(Half &half)
{
    for (const Block &block : half.blocks) {
        for (int value : block.values) {
            half.indices.push_back(static_cast<std::int64_t>(
                mix((static_cast<std::uint64_t>(static_cast<unsigned>(block.source.rank)) << 32)
                    | static_cast<unsigned>(value))));
        }
    }
    half.indices.push_back(0);
}

void SharedExchange::reserve(Half &half)
{
    std::ptrdiff_t lowest = 0, highest = 0;
    for (const Block &block : half.blocks) {
        for (std::ptrdiff_t at : block.at) {
            lowest = std::min(lowest, at + half.element.lowest());
            highest = std::max(highest, at + half.element.highest());
        }
    }
    half.buffer.reserve(lowest, highest, is_on_device(rank_, &half == &send_ ? 0 : 1));
    half.expected.reserve(lowest, highest);
    if (workload_.bottom) {
        MPI_Aint origin = 0;
        MPI_Get_address(half.buffer.origin(), &origin);
        for (MPI_Aint &displ : half.byte_displs)
            displ += origin;
    }
}

// The bytes of a value follow from its owner, its number and the round, in the order of the type
// map, which is the same on both sides.
void SharedExchange::put(Half &half, GuardedBuffer &buffer, const Block &block)
{
    if (block.source.rank == MPI_PROC_NULL)
        return;
    for (std::size_t k = 0; k < block.values.size(); ++k) {
        int index = 0;
        std::uint64_t bits = 0;
        for (const Segment &segment : half.element.segments()) {
            for (int i = 0; i < segment.bytes; ++i, ++index) {
                if (index % 8 == 0)
                    bits = hash_of(seed_, round_, block.source.rank, block.values[k], index / 8);
                buffer.contents()[block.at[k] + segment.at + i] =
                    static_cast<char>(bits >> (8 * (index % 8)));
            }
        }
    }
}

void SharedExchange::prepare(int round)
{
    round_ = round;
    for (Half *half : {&send_, &recv_}) {
        half->buffer.clear();
        half->expected.clear();
        for (const Block &block : half->blocks) {
            put(*half, half->expected, block);
            if (half == &send_)
                put(*half, half->buffer, block);
        }
        half->buffer.to_device();
    }
}

SideArguments SharedExchange::side_arguments(Half &half)
{
    SideArguments side;
    side.buffer = workload_.bottom ? MPI_BOTTOM : half.buffer.origin();
    side.type = half.handles.back();
    side.counts = half.counts.data();
    side.displs = half.displs.data();
    side.byte_displs = half.byte_displs.data();
    side.types = half.handles.data();
    side.indices = half.indices_given ? half.indices.data() : nullptr;
    return side;
}

CallArguments SharedExchange::arguments()
{
    return {side_arguments(send_), side_arguments(recv_)};
}

void SharedExchange::free_types()
{
    for (Half *half : {&send_, &recv_}) {
        for (MPI_Datatype &type : half->owned)
            MPI_Type_free(&type);
        half->owned.clear();
        half->element.free();
    }
}

void SharedExchange::scramble_arrays()
{
    for (Half *half : {&send_, &recv_}) {
        std::fill(half->counts.begin(), half->counts.end(), -77);
        std::fill(half->displs.begin(), half->displs.end(), 1 << 28);
        std::fill(half->byte_displs.begin(), half->byte_displs.end(), MPI_Aint{1} << 40);
        std::fill(half->handles.begin(), half->handles.end(), MPI_DATATYPE_NULL);
        std::fill(half->indices.begin(), half->indices.end(), 7);
    }
}

/// The value to which a byte offset belongs.
std::string SharedExchange::place_of(const Half &half, std::ptrdiff_t at) const
{
    for (std::size_t i = 0; i < half.blocks.size(); ++i) {
        const Block &block = half.blocks[i];
        for (std::size_t k = 0; k < block.at.size(); ++k) {
            for (const Segment &segment : half.element.segments()) {
                const std::ptrdiff_t offset = at - block.at[k] - segment.at;
                if (offset < 0 || offset >= segment.bytes)
                    continue;
                return "slot " + std::to_string(i) + " of " + std::to_string(half.blocks.size())
                       + ", element " + std::to_string(k) + " of " + std::to_string(block.at.size())
                       + (block.source.rank == MPI_PROC_NULL
                              ? " (MPI_PROC_NULL: must stay untouched)"
                              : ", value " + std::to_string(block.values[k]) + " of rank "
                                    + std::to_string(block.source.rank));
            }
        }
    }
    return "outside of every block";
}

std::string SharedExchange::check()
{
    for (Half *half : {&recv_, &send_}) {
        bool found = false;
        half->buffer.from_device();
        const std::ptrdiff_t at = half->buffer.first_difference(half->expected, found);
        if (found) {
            return std::string(half == &recv_ ? "receive" : "send") + " buffer differs, round "
                   + std::to_string(round_) + ", " + place_of(*half, at);
        }
    }
    return {};
}

} // namespace nbrhood_test
