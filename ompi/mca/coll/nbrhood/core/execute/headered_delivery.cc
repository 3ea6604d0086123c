// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// From combined messages with headers to staging and receive slots.
#include <cstring>

#include "execute/headered_exchange.h"

namespace nbrhood {

// Whether an unpacked block comes directly into its receive slot.
bool HeaderedExchange::comes_in_place(std::uint32_t slice) const
{
    const Slice &place = program_.slices()[slice];
    return place.space == Space::receive && !program_.together(place.block)
           && fits(place.block, layout_.sizes[slice]);
}

// Whether a slot accepts a block of this size from combined messages.
bool HeaderedExchange::fits(std::uint32_t slot, std::size_t bytes) const
{
    const std::size_t room = execution_.receive_blocks[slot].bytes;
    return execution_.receives_combined(slot) && bytes <= room;
}

std::size_t HeaderedExchange::following_bytes(std::uint32_t slice) const
{
    return program_.slices()[slice].size(layout_.sizes[slice]);
}

void HeaderedExchange::post_unpacked(std::uint32_t slice)
{
    const std::size_t bytes = following_bytes(slice);
    if (comes_in_place(slice)) {
        receive_alone(slice, nullptr, &execution_.receive_blocks[program_.slices()[slice].block],
                      bytes);
    } else {
        unpacked_buffers_[slice].resize(bytes);
        receive_alone(slice, unpacked_buffers_[slice].data(), nullptr, bytes);
    }
}

void HeaderedExchange::deliver(std::uint32_t receive)
{
    const Program::Item &item = program_.receives()[receive];
    const Arrival &arrival = arrivals_[receive];
    const char *payload = arrival.in_rest ? rest_buffers_[receive].data()
                                          : receive_buffers_[receive].data() + prefix(item);
    const bool deduplicated = layout_.deduplicated[program_.sends().size() + receive] != 0;
    if (deduplicated && arrival.understood) {
        payload += read_table(receive, payload);
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        const std::size_t bytes = layout_.sizes[i];
        const bool own_message = !deduplicated && execution_.unpacked(bytes);
        Staged from{own_message ? unpacked_buffers_[i].data() : payload, bytes, nullptr,
                    deduplicated};
        from.lost = !arrival.understood;
        if (!deduplicated) {
            payload += packed_bytes(slice, bytes);
        } else if (layout_.payload_segments[i].size() == 1) {
            from.at += layout_.payload_segments[i].front().at;
        } else {
            from.payload_segments = &layout_.payload_segments[i];
        }
        if (slice.space == Space::staging ? program_.in_parts(slice.block)
                                          : program_.together(slice.block)) {
            put_together(receive, i, from);
        } else if (slice.space == Space::staging) {
            staged_[slice.block] = from;
        } else {
            if (arrival.understood && (!own_message || !comes_in_place(i))) {
                deliver_block(item, slice.block, from);
            }
        }
        if (!execution_.combines(bytes)) {
            layout_.sizes[i] = 0; // learnt layout: not in this message
        }
    }
}

// Copies a part of a block, or the whole block, to the place where the block is assembled.
void HeaderedExchange::put_together(std::uint32_t receive, std::uint32_t slice, const Staged &from)
{
    const Program::Item &item = program_.receives()[receive];
    const Slice &place = program_.slices()[slice];
    const UserBlock *slot =
        place.space == Space::receive ? &execution_.receive_blocks[place.block] : nullptr;
    Staged &whole = held(place);
    whole.lost = whole.lost || from.lost;
    if (whole.lost) {
        return;
    }
    if (whole.at != nullptr && whole.bytes != from.bytes) {
        whole.lost = true;
        reject(receive, "parts of a block do not belong together", expected_header(item), 0);
        return;
    }
    whole.bytes = from.bytes;
    if (!execution_.combines(from.bytes) || from.bytes == 0) {
        return;
    }
    if (whole.at == nullptr && slot != nullptr && slot->data != nullptr
        && fits(place.block, from.bytes)) {
        whole.at = slot->data;
    } else if (whole.at == nullptr) {
        auto &memory = (slot != nullptr ? received_wholes_ : staged_wholes_)[place.block];
        memory.resize(from.bytes);
        whole.at = memory.data();
    }
    char *to = const_cast<char *>(whole.at) + place.begin(from.bytes);
    if (from.payload_segments == nullptr) {
        std::memcpy(to, from.at, place.size(from.bytes));
        return;
    }
    for (const PayloadSegment &segment : *from.payload_segments) {
        std::memcpy(to, from.at + segment.at, segment.bytes);
        to += segment.bytes;
    }
}

void HeaderedExchange::deliver_late(std::uint32_t delivery, std::uint32_t receive)
{
    const Program::Delivery &late = program_.deliveries()[delivery];
    const Staged &from = held(late.from);
    const UserBlock &to = execution_.receive_blocks[late.slot];
    if (!from.lost && (from.at == nullptr || from.at != to.data)) {
        deliver_block(program_.receives()[receive], late.slot, from);
    }
}

// Delivers a relayed block to this rank; its bytes are at `from` if it is small enough to be
// combined.
void HeaderedExchange::deliver_block(const Program::Item &item, std::uint32_t slot,
                                     const Staged &from)
{
    const UserBlock &block = execution_.receive_blocks[slot];
    const bool was_combined = execution_.combines(from.bytes);
    if (was_combined != execution_.receives_combined(slot)
        || (was_combined && from.bytes > block.bytes)) {
        refuse(item, slot, from.bytes);
    } else if (execution_.error() == 0 && was_combined && from.bytes != 0) {
        copy_out(from, block);
    }
}

// Records that a block does not have the size that this rank gave for it.
void HeaderedExchange::refuse(const Program::Item &item, std::uint32_t slot, std::size_t bytes)
{
    const UserBlock &block = execution_.receive_blocks[slot];
    if (execution_.error() == 0) {
        const Rank source = program_.source(slot);
        execution_.record(execution_.transport().truncated(source != kNoRank ? source : item.peer,
                                                           item.peer, bytes, block.bytes));
    }
    if (execution_.combines(bytes) != execution_.receives_combined(slot)) {
        execution_.resolve_dispute(slot, execution_.combines(bytes));
    }
}

} // namespace nbrhood
