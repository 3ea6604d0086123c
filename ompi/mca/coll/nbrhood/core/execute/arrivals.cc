// What a plan does with relayed messages that arrive behind a header.
#include <algorithm>
#include <cstring>

#include "execute/plan.h"

namespace nbrhood {

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
    const bool fits = header.pattern == expected.pattern && header.sequence == sequence_
                      && header.blocks == item.slice_count && header.phase == item.phase
                      && header.table <= header.payload
                      && bytes == prefix(item) + std::min<std::size_t>(header.payload, room(item));
    if (!fits || header.failed != 0) {
        sizes_known_ = false;
        if (error_ == 0) {
            record(fits ? static_cast<int>(header.failed)
                        : transport_.mismatch(item.peer, header, expected));
        }
        header.payload = header.table = 0;
    }
    const bool pooled = header.table != 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < item.slice_count; ++i) {
        std::uint64_t size = 0;
        if (fits && header.failed == 0) {
            std::memcpy(&size, buffer.data() + sizeof header + i * sizeof size, sizeof size);
        }
        layout_.sizes[item.first_slice + i] = size;
        sum += packed(size);
    }
    if (fits && header.failed == 0 && !pooled && sum != header.payload) {
        record(transport_.mismatch(item.peer, header, expected));
        sizes_known_ = false;
        std::fill_n(layout_.sizes.begin() + item.first_slice, item.slice_count, 0);
        header.payload = 0;
    }
    const std::size_t first = room(item);
    if (header.payload > first) {
        std::vector<char> &rest = rest_buffers_[index];
        rest.resize(header.payload);
        std::memcpy(rest.data(), buffer.data() + prefix(item), first);
        const std::size_t both = program_->sends().size() + program_->receives().size();
        Token &token = tokens_[both + program_->sends().size() + index];
        ++missing_[index];
        post(transport_.receive_bytes(rest.data() + first, rest.size() - first, item.peer,
                                      tag(item, true), token),
             token);
    }
    in_rest_[index] = header.payload > first ? 1 : 0;
    layout_.pooled[program_->sends().size() + index] = pooled ? 1 : 0;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (!pooled && loose(layout_.sizes[i])) {
            post_loose(i);
        }
    }
}

// Whether a loose block comes straight into its receive slot.
bool Plan::comes_in_place(std::uint32_t slice) const
{
    const Slice &place = program_->slices()[slice];
    return place.space == Space::receive && rides(receive_blocks_[place.block].bytes)
           && layout_.sizes[slice] <= receive_blocks_[place.block].bytes;
}

void Plan::post_loose(std::uint32_t slice)
{
    const std::size_t bytes = layout_.sizes[slice];
    if (comes_in_place(slice)) {
        receive_loose(slice, nullptr, &receive_blocks_[program_->slices()[slice].block], bytes);
    } else {
        loose_buffers_[slice].resize(bytes);
        receive_loose(slice, loose_buffers_[slice].data(), nullptr, bytes);
    }
}

// Receives a block on its own, into plain memory if it lies in any.
void Plan::receive_loose(std::uint32_t slice, void *to, const UserBlock *block, std::size_t bytes)
{
    const std::uint32_t index = program_->owner(slice);
    const Program::Item &item = program_->receives()[index];
    Token &token = tokens_[tokens_.size() - program_->slices().size() + slice];
    token.kind = Token::receive_loose;
    token.index = slice;
    ++missing_[index];
    if (block != nullptr && block->data == nullptr) {
        post(transport_.receive_block(*block, item.peer, tag(item, true), token), token);
    } else {
        post(transport_.receive_bytes(block != nullptr ? block->data : to, bytes, item.peer,
                                      tag(item, true), token),
             token);
    }
}

// One of the messages of a relayed operation is here; perhaps the last.
void Plan::part_arrived(std::uint32_t index)
{
    if (--missing_[index] != 0) {
        return;
    }
    if (use_settled_) {
        receive_settled(index);
    } else {
        deliver(index);
    }
}

void Plan::deliver(std::uint32_t index)
{
    const Program::Item &item = program_->receives()[index];
    const char *payload = in_rest_[index] != 0 ? rest_buffers_[index].data()
                                               : receive_buffers_[index].data() + prefix(item);
    const bool pooled = layout_.pooled[program_->sends().size() + index] != 0;
    if (pooled) {
        payload += read_table(index, payload);
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_->slices()[i];
        const std::size_t bytes = layout_.sizes[i];
        const bool own_message = !pooled && loose(bytes);
        Staged from{own_message ? loose_buffers_[i].data() : payload, bytes, nullptr, pooled};
        if (!pooled) {
            payload += packed(bytes);
        } else if (layout_.runs[i].size() == 1) {
            from.at += layout_.runs[i].front().at;
        } else {
            from.runs = &layout_.runs[i];
        }
        if (slice.space == Space::staging) {
            staged_[slice.block] = from;
        } else if (!own_message || !comes_in_place(i)) {
            deliver_block(item, slice.block, from);
        }
        if (!rides(bytes)) {
            layout_.sizes[i] = 0; // for the settled layout: not carried here
        }
    }
    for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
        const Program::Delivery &delivery = program_->deliveries()[item.first_delivery + i];
        deliver_block(item, delivery.slot, staged_[program_->slices()[delivery.slice].block]);
    }
    received(index);
}

// A relayed block of this rank: its bytes are at `from` if they are few enough to ride.
void Plan::deliver_block(const Program::Item &item, std::uint32_t slot, const Staged &from)
{
    const UserBlock &block = receive_blocks_[slot];
    const std::size_t bytes = from.bytes;
    if (rides(bytes) != rides(block.bytes) || (rides(bytes) && bytes > block.bytes)) {
        if (sizes_known_) {
            refuse(item, slot, bytes);
        }
    } else if (error_ == 0 && rides(bytes) && bytes != 0) {
        copy_out(from, block);
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
    const bool differ = rides(bytes) != rides(block.bytes);
    for (std::size_t i = 0; differ && i < program_->receives().size(); ++i) {
        const Program::Item &direct = program_->receives()[i];
        Token &token = tokens_[program_->sends().size() + i];
        if (direct.carry != Carry::large || program_->slices()[direct.first_slice].block != slot) {
            continue;
        }
        if (rides(bytes)) {
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
