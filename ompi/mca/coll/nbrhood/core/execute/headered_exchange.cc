// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/headered_exchange.h"

#include <algorithm>
#include <cstring>

namespace nbrhood {

HeaderedExchange::HeaderedExchange(Execution &execution, bool learns)
    : CombinedExchange(execution), learns_(learns), layout_(program_),
      staged_(program_.staging_blocks()), arrivals_(program_.receives().size()),
      staged_wholes_(program_.staging_blocks()), send_buffers_(program_.sends().size()),
      receive_buffers_(program_.receives().size()), rest_buffers_(program_.receives().size()),
      unpacked_buffers_(program_.slices().size())
{
    for (std::size_t i = 0; i < program_.receives().size(); ++i) {
        const Program::Item &item = program_.receives()[i];
        if (item.carry == Carry::combined) {
            receive_buffers_[i].resize(prefix(item) + room(item));
        }
    }
}

void HeaderedExchange::find_shared(const std::int64_t *indices)
{
    if (execution_.wire().remove_duplicates) {
        shared_bytes_.find(execution_.send_blocks, execution_.transport(), indices,
                           learns_ ? kShortestSegment : kLongSegment);
    }
}

std::size_t HeaderedExchange::prefix(const Program::Item &item) const
{
    return sizeof(Header) + item.slice_count * sizeof(std::uint64_t);
}

// Payload capacity of an operation's first message, after header and sizes; the rest follows in a
// second message. The receiver preposts a buffer of this size.
std::size_t HeaderedExchange::room(const Program::Item &item) const
{
    const WireSettings &wire = execution_.wire();
    return std::min(wire.preposted_size,
                    item.slice_count * std::min(wire.combining_threshold, wire.packing_threshold));
}

// ---- Sending ----

// The data of a place, to be sent on.
HeaderedExchange::Staged &HeaderedExchange::held(const Slice &slice)
{
    return slice.space == Space::staging ? staged_[slice.block] : received_[slice.block];
}

std::size_t HeaderedExchange::block_bytes(const Slice &slice) const
{
    switch (slice.space) {
    case Space::send:
        return execution_.send_blocks[slice.block].bytes;
    case Space::receive:
        return received_[slice.block].bytes;
    case Space::staging:
        break;
    }
    return staged_[slice.block].bytes;
}

// Bytes of a slice in the payload of its message; block: bytes of the whole block.
std::size_t HeaderedExchange::packed_bytes(const Slice &slice, std::size_t block) const
{
    return slice.size(execution_.packed(block));
}

void HeaderedExchange::begin()
{
    received_.resize(execution_.receive_blocks.size());
    received_wholes_.resize(received_.size());
    packed_.assign(execution_.send_blocks.size(), Staged{});
    packed_wholes_.resize(packed_.size());
    for (std::uint32_t block = 0; block < staged_.size(); ++block) {
        if (program_.in_parts(block)) {
            staged_[block] = Staged{};
        }
    }
    for (std::uint32_t slot = 0; slot < received_.size(); ++slot) {
        received_[slot] = Staged{};
    }
    for (const auto &[from, to] : program_.staged_copies()) {
        staged_[to.block] = pack_whole(from.block);
    }
    for (const auto &[from, to] : program_.copies()) {
        if (program_.together(to.block)) {
            received_[to.block] = pack_whole(from.block);
        }
    }
}

// A block of the send buffer in one segment of memory.
const HeaderedExchange::Staged &HeaderedExchange::pack_whole(std::uint32_t send_block)
{
    const UserBlock &block = execution_.send_blocks[send_block];
    Staged &whole = packed_[send_block];
    whole.bytes = block.bytes;
    if (block.data != nullptr) {
        whole.at = block.data;
    } else if (whole.at == nullptr && execution_.combines(whole.bytes) && block.bytes != 0) {
        std::vector<char> &memory = packed_wholes_[send_block];
        memory.resize(block.bytes);
        execution_.lose(execution_.transport().pack(block, memory.data()), program_.rank());
        whole.at = memory.data();
    }
    return whole;
}

void HeaderedExchange::append_payload(const Slice &slice, std::size_t bytes, char *to)
{
    const std::size_t begin = slice.begin(bytes);
    const std::size_t part = slice.size(bytes);
    if (slice.space == Space::send) {
        const UserBlock &block = execution_.send_blocks[slice.block];
        if (block.data != nullptr) {
            std::memcpy(to, block.data + begin, part);
        } else if (slice.whole()) {
            execution_.lose(execution_.transport().pack(block, to), program_.rank());
        } else {
            std::memcpy(to, pack_whole(slice.block).at + begin, part);
        }
        return;
    }
    const Staged &from = held(slice);
    if (from.payload_segments == nullptr) {
        std::memcpy(to, from.at + begin, part);
        return;
    }
    std::size_t skip = begin;
    std::size_t left = part;
    for (const PayloadSegment &segment : *from.payload_segments) {
        const std::size_t skipped = std::min<std::size_t>(skip, segment.bytes);
        const std::size_t taken = std::min<std::size_t>(left, segment.bytes - skipped);
        std::memcpy(to, from.at + segment.at + skipped, taken);
        to += taken;
        skip -= skipped;
        left -= taken;
    }
}

void HeaderedExchange::launch(std::uint32_t send)
{
    const Program::Item &item = program_.sends()[send];
    Header header = expected_header(item);
    const bool deduplicated = deduplicate(send);
    if (deduplicated) {
        header.table = deduplicated_payload_.table_bytes();
        header.payload = header.table + deduplicated_payload_.bytes();
    } else {
        for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            header.payload += packed_bytes(slice, block_bytes(slice));
        }
    }
    std::vector<char> &buffer = send_buffers_[send];
    buffer.resize(prefix(item) + header.payload);
    char *size_at = buffer.data() + sizeof(Header);
    char *payload_at = buffer.data() + prefix(item);
    for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        const std::uint64_t bytes = block_bytes(slice);
        std::memcpy(size_at, &bytes, sizeof bytes);
        size_at += sizeof bytes;
        layout_.sizes[i] = execution_.combines(bytes) ? bytes : 0;
        const std::size_t packed = deduplicated ? 0 : packed_bytes(slice, bytes);
        if (packed != 0 && execution_.lost().error == 0) {
            append_payload(slice, bytes, payload_at);
            payload_at += packed;
        }
    }
    if (deduplicated) {
        deduplicated_payload_.write_table(payload_at);
        deduplicated_payload_.write(payload_at + header.table);
    }
    if (execution_.lost().error != 0) {
        header.failed = static_cast<std::uint32_t>(execution_.lost().error);
        header.payload = 0; // the payload is left out, and nothing follows
        header.table = execution_.lost().encode();
        buffer.resize(prefix(item));
    }
    std::memcpy(buffer.data(), &header, sizeof header);
    const std::size_t first = std::min(buffer.size(), prefix(item) + room(item));
    execution_.send_bytes(buffer.data(), first, item, false, execution_.token(Token::send, send));
    if (first < buffer.size()) {
        execution_.send_bytes(buffer.data() + first, buffer.size() - first, item, true,
                              execution_.token(Token::send_rest, send));
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (header.failed == 0 && !deduplicated && execution_.unpacked(layout_.sizes[i])) {
            send_unpacked(i);
        }
    }
}

void HeaderedExchange::send_unpacked(std::uint32_t slice)
{
    const Slice &from = program_.slices()[slice];
    const std::size_t bytes = layout_.sizes[slice];
    const std::size_t part = from.size(bytes);
    if (from.space == Space::send && from.whole()) {
        send_alone(slice, nullptr, &execution_.send_blocks[from.block], bytes);
    } else if (from.space == Space::send) {
        send_alone(slice, pack_whole(from.block).at + from.begin(bytes), nullptr, part);
    } else if (const Staged &staged = held(from); staged.payload_segments == nullptr) {
        send_alone(slice, staged.at + from.begin(bytes), nullptr, part);
    } else {
        unpacked_buffers_[slice].resize(part);
        append_payload(from, bytes, unpacked_buffers_[slice].data());
        send_alone(slice, unpacked_buffers_[slice].data(), nullptr, part);
    }
}

// ---- Receiving ----

void HeaderedExchange::post(std::uint32_t receive)
{
    std::vector<char> &buffer = receive_buffers_[receive];
    arrivals_[receive] = Arrival{};
    missing_[receive] = 1;
    execution_.receive_bytes(buffer.data(), buffer.size(), program_.receives()[receive], false,
                             execution_.token(Token::receive, receive));
}

// Reads the header and the sizes of a message of which this many bytes arrived. Returns a fault or
// null. Checks them against this rank's own knowledge: its number of blocks, and T.
const char *HeaderedExchange::read_header(std::uint32_t receive, std::size_t bytes, Header &header)
{
    const Program::Item &item = program_.receives()[receive];
    const char *buffer = receive_buffers_[receive].data();
    const Header expected = expected_header(item);
    if (bytes >= sizeof header) {
        std::memcpy(&header, buffer, sizeof header);
    }
    if (bytes < prefix(item)) {
        return "it is too short for its header";
    }
    if (header.pattern != expected.pattern || header.sequence != expected.sequence
        || header.blocks != expected.blocks || header.phase != expected.phase) {
        return "it has a different header";
    }
    if (bytes != prefix(item) + std::min<std::size_t>(header.payload, room(item))
        || (header.failed != 0 && header.payload != 0)) {
        return "its length is not what its header says";
    }
    if (header.failed != 0) {
        return nullptr;
    }
    std::uint64_t in_message = 0;
    std::uint64_t combined_bytes = 0;
    for (std::size_t i = 0; i < item.slice_count; ++i) {
        std::uint64_t size = 0;
        std::memcpy(&size, buffer + sizeof header + i * sizeof size, sizeof size);
        layout_.sizes[item.first_slice + i] = size;
        in_message += packed_bytes(program_.slices()[item.first_slice + i], size);
        combined_bytes += execution_.combines(size) ? size : 0;
    }
    if (header.table == 0) {
        return header.payload == in_message ? nullptr : "the sizes of its blocks do not add up";
    }
    return !item.cut && header.table <= header.payload
                   && header.payload - header.table <= combined_bytes
                   && header.table <= longest_table(item.slice_count, combined_bytes)
               ? nullptr
               : "its table is longer than its blocks need";
}

void HeaderedExchange::take_first(const Event &event)
{
    const std::uint32_t receive = event.index;
    const Program::Item &item = program_.receives()[receive];
    Header header;
    const char *fault = read_header(receive, event.error == 0 ? event.bytes : 0, header);
    const bool usable = fault == nullptr && header.failed == 0;
    const bool deduplicated = usable && header.table != 0;
    layout_.deduplicated[program_.sends().size() + receive] = deduplicated ? 1 : 0;
    if (fault != nullptr) {
        reject(receive, fault, header, 0);
        return;
    }
    if (!usable) {
        pass_on(receive, header);
        return;
    }
    if (header.payload > room(item)) {
        post_rest(receive, header.payload);
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (!deduplicated && execution_.unpacked(layout_.sizes[i])) {
            post_unpacked(i);
        }
    }
}

// A message says that its data is missing. This rank's own messages then say so, too.
void HeaderedExchange::pass_on(std::uint32_t receive, const Header &header)
{
    const Program::Item &item = program_.receives()[receive];
    const Failure failure = Failure::decode(header);
    forget(receive);
    if (execution_.error() == 0) {
        execution_.record(
            execution_.transport().failed_before(item.peer, failure, program_.only_relayed(item)));
    }
    execution_.lose(execution_.error(), failure.at, failure.with);
}

void HeaderedExchange::post_rest(std::uint32_t receive, std::size_t payload)
{
    const Program::Item &item = program_.receives()[receive];
    const std::size_t first = room(item);
    std::vector<char> &rest = rest_buffers_[receive];
    rest.resize(payload);
    std::memcpy(rest.data(), receive_buffers_[receive].data() + prefix(item), first);
    arrivals_[receive].in_rest = true;
    ++missing_[receive];
    execution_.receive_bytes(rest.data() + first, rest.size() - first, item, true,
                             execution_.token(Token::receive_rest, receive));
}

// A rest or an unpacked block has arrived; each has a known length.
void HeaderedExchange::take_following(std::uint32_t receive, const Event &event)
{
    const Program::Item &item = program_.receives()[receive];
    const std::size_t bytes = event.kind == Token::receive_unpacked
                                  ? following_bytes(event.index)
                                  : rest_buffers_[receive].size() - room(item);
    if (event.error == 0 && event.bytes != bytes) {
        Header got = expected_header(item);
        got.payload = event.bytes;
        reject(receive, "what follows it is not as long as it says", got, bytes);
    }
}

// Handles a message that is not the expected one.
void HeaderedExchange::reject(std::uint32_t receive, const char *fault, const Header &got,
                              std::size_t bytes)
{
    forget(receive);
    tell_mismatch(program_.receives()[receive], fault, got, bytes);
}

// Marks all data of a message as unusable.
void HeaderedExchange::forget(std::uint32_t receive)
{
    const Program::Item &item = program_.receives()[receive];
    arrivals_[receive].understood = false;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        layout_.sizes[i] = 0;
        layout_.payload_segments[i].clear();
    }
}

bool HeaderedExchange::understood() const
{
    return std::all_of(arrivals_.begin(), arrivals_.end(),
                       [](const Arrival &arrival) { return arrival.understood; });
}

std::size_t HeaderedExchange::memory() const
{
    std::size_t total = 0;
    for (const auto *buffers :
         {&send_buffers_, &receive_buffers_, &rest_buffers_, &unpacked_buffers_, &staged_wholes_,
          &received_wholes_, &packed_wholes_}) {
        for (const std::vector<char> &buffer : *buffers) {
            total += buffer.capacity();
        }
    }
    return total;
}

} // namespace nbrhood
