// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Combined messages with a deduplicated payload (deduplicated_payload.h).
#include <algorithm>
#include <cstring>

#include "execute/headered_exchange.h"

namespace nbrhood {

// Whether blocks of a message may share bytes. `needed`: one of them came in several segments and
// is too large to be packed otherwise.
bool HeaderedExchange::worth_looking(const Program::Item &item, bool &needed)
{
    bool worth = false;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        if (slice.space == Space::send) {
            worth = worth || shared_bytes_.shared();
        } else if (const Staged &staged = held(slice);
                   staged.deduplicated && execution_.combines(staged.bytes)) {
            worth = true;
            needed =
                needed || (execution_.unpacked(staged.bytes) && staged.payload_segments != nullptr);
        }
    }
    return worth;
}

void HeaderedExchange::add_to_payload(const Slice &slice, std::size_t bytes)
{
    const auto add = [&](const char *at, std::size_t count) {
        deduplicated_payload_.add(BlockSegment{reinterpret_cast<std::uintptr_t>(at), at, count});
    };
    if (slice.space != Space::send) {
        const Staged &staged = held(slice);
        if (staged.payload_segments == nullptr) {
            add(staged.at, bytes);
        } else {
            for (const PayloadSegment &payload_segment : *staged.payload_segments) {
                add(staged.at + payload_segment.at, payload_segment.bytes);
            }
        }
    } else if (!shared_bytes_.add_to(deduplicated_payload_, slice.block,
                                     execution_.send_blocks[slice.block])) {
        parted_.emplace_back(bytes);
        execution_.lose(
            execution_.transport().pack(execution_.send_blocks[slice.block], parted_.back().data()),
            program_.rank());
        add(parted_.back().data(), bytes);
    }
}

// Lays out a message to be sent in deduplicated_payload_, if that is worth it. If blocks would
// otherwise be messages of their own, without copies, they must share much. Parts of blocks are not
// searched.
bool HeaderedExchange::deduplicate(std::uint32_t send)
{
    const Program::Item &item = program_.sends()[send];
    bool needed = false;
    layout_.deduplicated[send] = 0;
    if (item.cut || !worth_looking(item, needed)) {
        return false;
    }
    deduplicated_payload_.clear();
    parted_.clear();
    bool some_unpacked = false;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const std::size_t bytes = block_bytes(program_.slices()[i]);
        if (execution_.combines(bytes) && bytes != 0) {
            add_to_payload(program_.slices()[i], bytes);
            some_unpacked = some_unpacked || execution_.unpacked(bytes);
        }
        deduplicated_payload_.end_block();
    }
    deduplicated_payload_.lay_out();
    const std::size_t saved = deduplicated_payload_.block_bytes() - deduplicated_payload_.bytes();
    const std::size_t least = some_unpacked ? deduplicated_payload_.block_bytes() / 4 : 0;
    // A persistent request sends its tables once.
    if (!needed && saved <= std::max(least, learns_ ? 0 : deduplicated_payload_.table_bytes())) {
        return false;
    }
    layout_.deduplicated[send] = 1;
    for (std::uint32_t i = 0; learns_ && i < item.slice_count; ++i) {
        deduplicated_payload_.payload_segments(i, layout_.payload_segments[item.first_slice + i]);
    }
    return true;
}

// Reads the table of a deduplicated message. Returns its length in bytes.
std::size_t HeaderedExchange::read_table(std::uint32_t receive, const char *table)
{
    const Program::Item &item = program_.receives()[receive];
    Header header;
    std::memcpy(&header, receive_buffers_[receive].data(), sizeof header);
    std::size_t at = 0;
    bool fits = true;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const std::size_t bytes = execution_.combines(layout_.sizes[i]) ? layout_.sizes[i] : 0;
        fits = fits
               && read_segments(table, header.table, at, bytes, header.payload - header.table,
                                layout_.payload_segments[i]);
    }
    if (!fits || at != header.table) {
        reject(receive, "its table does not describe its blocks", header, 0);
    }
    return header.table;
}

// Copies a received block to its destination.
void HeaderedExchange::copy_out(const Staged &from, const UserBlock &block)
{
    char *whole = block.data;
    if (from.payload_segments != nullptr) {
        if (whole == nullptr) {
            scratch_.resize(from.bytes);
            whole = scratch_.data();
        }
        for (const PayloadSegment &payload_segment : *from.payload_segments) {
            std::memcpy(whole, from.at + payload_segment.at, payload_segment.bytes);
            whole += payload_segment.bytes;
        }
    } else if (whole != nullptr) {
        std::memcpy(whole, from.at, from.bytes);
    }
    if (block.data == nullptr) {
        const char *bytes = from.payload_segments != nullptr ? scratch_.data() : from.at;
        execution_.record(execution_.transport().unpack(bytes, from.bytes, block));
    }
}

} // namespace nbrhood
