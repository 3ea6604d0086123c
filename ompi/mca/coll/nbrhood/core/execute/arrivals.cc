// What a plan does with the messages that arrive: relayed ones with headers, and settled ones.
#include <algorithm>
#include <cstring>

#include "execute/plan.h"

namespace nbrhood {

void Plan::receive_settled(std::uint32_t index, std::size_t bytes)
{
    const Settled::Placement &placement = settled_.receive(index);
    if (error_ == 0 && bytes != placement.bytes) {
        record(transport_.truncated(program_->receives()[index].peer, bytes, placement.bytes));
    }
    for (const Settled::Move &move : placement.moves) {
        if (error_ != 0) {
            break;
        }
        if (move.place != nullptr) {
            std::memcpy(move.place, move.message, move.bytes);
        } else {
            record(transport_.unpack(move.message, move.bytes, *move.block));
        }
    }
    received(index);
}

// The first message of a relayed operation is here.
void Plan::parse(std::uint32_t index, std::size_t bytes)
{
    const Program::Item &item = program_->receives()[index];
    const std::vector<char> &buffer = receive_buffers_[index];
    Header header;
    Header expected;
    expected.pattern = wire_.pattern;
    expected.sequence = sequence_;
    expected.blocks = item.slice_count;
    expected.phase = item.phase;
    if (bytes >= sizeof header) {
        std::memcpy(&header, buffer.data(), sizeof header);
    }
    const bool fits =
        header.pattern == expected.pattern && header.sequence == sequence_
        && header.blocks == item.slice_count && header.phase == item.phase
        && bytes == prefix(item) + std::min<std::size_t>(header.payload, wire_.relay_buffer);
    if (!fits || header.failed != 0) {
        sizes_known_ = false;
        if (error_ == 0) {
            record(fits ? static_cast<int>(header.failed)
                        : transport_.mismatch(item.peer, header, expected));
        }
        header.payload = 0;
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < item.slice_count; ++i) {
        std::uint64_t size = 0;
        if (fits && header.failed == 0) {
            std::memcpy(&size, buffer.data() + sizeof header + i * sizeof size, sizeof size);
        }
        slice_sizes_[item.first_slice + i] = size;
        sum += size <= wire_.ride_threshold ? size : 0;
    }
    if (fits && header.failed == 0 && sum != header.payload) {
        record(transport_.mismatch(item.peer, header, expected));
        sizes_known_ = false;
        std::fill_n(slice_sizes_.begin() + item.first_slice, item.slice_count, 0);
        header.payload = 0;
    }
    const char *payload = buffer.data() + prefix(item);
    if (header.payload <= wire_.relay_buffer) {
        deliver(index, payload);
        return;
    }
    std::vector<char> &rest = rest_buffers_[index];
    rest.resize(header.payload);
    std::memcpy(rest.data(), payload, wire_.relay_buffer);
    const std::size_t both = program_->sends().size() + program_->receives().size();
    Token &token = tokens_[both + program_->sends().size() + index];
    post(transport_.receive_bytes(rest.data() + wire_.relay_buffer,
                                  rest.size() - wire_.relay_buffer, item.peer, tag(item, true),
                                  token),
         token);
}

void Plan::deliver(std::uint32_t index, const char *payload)
{
    const Program::Item &item = program_->receives()[index];
    for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_->slices()[i];
        const bool rides = slice_sizes_[i] <= wire_.ride_threshold;
        if (slice.space == Space::staging) {
            staged_[slice.block] = Staged{payload, slice_sizes_[i]};
        } else {
            deliver_block(item, slice.block, payload, slice_sizes_[i]);
        }
        if (rides) {
            payload += slice_sizes_[i];
        } else {
            slice_sizes_[i] = 0; // for the settled layout: not carried here
        }
    }
    for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
        const Program::Delivery &delivery = program_->deliveries()[item.first_delivery + i];
        const Staged &staged = staged_[program_->slices()[delivery.slice].block];
        deliver_block(item, delivery.slot, staged.at, staged.bytes);
    }
    received(index);
}

// A relayed block of this rank: its bytes are at `from` if they are few enough to ride.
void Plan::deliver_block(const Program::Item &item, std::uint32_t slot, const char *from,
                         std::size_t bytes)
{
    const UserBlock &block = receive_blocks_[slot];
    const bool rides = bytes <= wire_.ride_threshold;
    const bool rides_here = block.bytes <= wire_.ride_threshold;
    if (rides != rides_here || (rides && bytes > block.bytes)) {
        if (sizes_known_) {
            refuse(item, slot, bytes);
        }
    } else if (error_ == 0 && rides && bytes != 0) {
        if (block.data != nullptr) {
            std::memcpy(block.data, from, bytes);
        } else {
            record(transport_.unpack(from, bytes, block));
        }
    }
}

// A block is not of the size that this rank gave for it. Where the two ends disagree on how it
// travels, what was posted for it is cancelled, or what its sender posted is taken in, so that
// neither waits.
void Plan::refuse(const Program::Item &item, std::uint32_t slot, std::size_t bytes)
{
    const UserBlock &block = receive_blocks_[slot];
    if (error_ == 0) {
        record(transport_.truncated(item.peer, bytes, block.bytes));
    }
    const bool rides = bytes <= wire_.ride_threshold;
    const bool rides_here = block.bytes <= wire_.ride_threshold;
    for (std::size_t i = 0; rides != rides_here && i < program_->receives().size(); ++i) {
        const Program::Item &direct = program_->receives()[i];
        Token &token = tokens_[program_->sends().size() + i];
        if (direct.carry != Carry::large || program_->slices()[direct.first_slice].block != slot) {
            continue;
        }
        if (rides) {
            transport_.cancel(token);
        } else {
            ++pending_;
            post(transport_.receive_block(block, direct.peer, tag(direct, false), token), token);
        }
    }
}

// All of a relayed message is here: start what waited for it.
void Plan::received(std::uint32_t index)
{
    const Program::Item &item = program_->receives()[index];
    for (std::uint32_t i = 0; i < item.feed_count; ++i) {
        const std::uint32_t send = program_->feeds()[item.first_feed + i];
        if (--waiting_[send] == 0) {
            launch_send(send);
        }
    }
    --pending_;
}

} // namespace nbrhood
