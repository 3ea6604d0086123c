// What a plan does with relayed messages that arrive behind a header.
#include <algorithm>
#include <cstring>

#include "execute/plan.h"

namespace nbrhood {

Header Plan::expected_header(const Program::Item &item) const
{
    Header header;
    header.pattern = wire_.pattern;
    header.sequence = sequence_;
    header.blocks = item.slice_count;
    header.phase = item.phase;
    return header;
}

// Takes in the header and the sizes of a message of which so many bytes came. Returns what is wrong
// with them, or null. What they say is bounded by what this rank knows: its number of blocks, and
// T.
const char *Plan::read_header(std::uint32_t index, std::size_t bytes, Header &header)
{
    const Program::Item &item = program_->receives()[index];
    const char *buffer = receive_buffers_[index].data();
    const Header expected = expected_header(item);
    if (bytes >= sizeof header) {
        std::memcpy(&header, buffer, sizeof header);
    }
    if (bytes < prefix(item)) {
        return "it is too short for its header";
    }
    if (header.pattern != expected.pattern || header.sequence != expected.sequence
        || header.blocks != expected.blocks || header.phase != expected.phase) {
        return "it has another header";
    }
    if (bytes != prefix(item) + std::min<std::size_t>(header.payload, room(item))
        || (header.failed != 0 && header.payload != 0)) {
        return "its length is not what its header says";
    }
    if (header.failed != 0) {
        return nullptr;
    }
    std::uint64_t in_message = 0;
    std::uint64_t riding = 0;
    for (std::size_t i = 0; i < item.slice_count; ++i) {
        std::uint64_t size = 0;
        std::memcpy(&size, buffer + sizeof header + i * sizeof size, sizeof size);
        layout_.sizes[item.first_slice + i] = size;
        in_message += packed(size);
        riding += rides(size) ? size : 0;
    }
    if (header.table == 0) {
        return header.payload == in_message ? nullptr : "the sizes of its blocks do not add up";
    }
    return header.table <= header.payload && header.payload - header.table <= riding
                   && header.table <= longest_table(item.slice_count, riding)
               ? nullptr
               : "its table is longer than its blocks need";
}

// The first message of a relayed operation is here.
void Plan::parse(std::uint32_t index, std::size_t bytes)
{
    const Program::Item &item = program_->receives()[index];
    Header header;
    const char *fault = read_header(index, bytes, header);
    const bool usable = fault == nullptr && header.failed == 0;
    const bool pooled = usable && header.table != 0;
    layout_.pooled[program_->sends().size() + index] = pooled ? 1 : 0;
    if (fault != nullptr) {
        reject(index, fault, header, 0);
    } else if (!usable) {
        forget(index);
        const Failure failure = Failure::decode(header);
        if (error_ == 0) {
            record(transport_.failed_before(item.peer, failure, program_->only_relayed(item)));
        }
        if (lost_.error == 0) {
            lost_ = Failure{error_, failure.at, failure.with};
        }
    }
    if (!usable) {
        return;
    }
    const std::size_t first = room(item);
    if (header.payload > first) {
        std::vector<char> &rest = rest_buffers_[index];
        rest.resize(header.payload);
        std::memcpy(rest.data(), receive_buffers_[index].data() + prefix(item), first);
        const std::size_t both = program_->sends().size() + program_->receives().size();
        Token &token = tokens_[both + program_->sends().size() + index];
        arrivals_[index].in_rest = true;
        ++arrivals_[index].missing;
        post(transport_.receive_bytes(rest.data() + first, rest.size() - first, item.peer,
                                      tag(item, true), token),
             token);
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (!pooled && loose(layout_.sizes[i])) {
            post_loose(i);
        }
    }
}

// A rest or a loose block is here; each has a length that is known.
void Plan::check_part(std::uint32_t index, const Event &event, std::size_t expected)
{
    const Program::Item &item = program_->receives()[index];
    lose(event.error, item.peer);
    if (use_settled_) {
        check_settled(index, event.bytes, expected);
    } else if (event.error == 0 && event.bytes != expected) {
        Header got = expected_header(item);
        got.payload = event.bytes;
        reject(index, "what follows it is not as long as it says", got, expected);
    }
}

// A message is not the one that had to come. expected: its bytes, where they are known.
void Plan::reject(std::uint32_t index, const char *fault, const Header &got, std::size_t expected)
{
    const Program::Item &item = program_->receives()[index];
    forget(index);
    if (error_ == 0) {
        Header wanted = expected_header(item);
        wanted.payload = expected;
        record(transport_.mismatch(item.peer, fault, got, wanted));
    }
    lose(error_, item.peer);
}

// Leaves nothing of a message that could be used. Later starts need to know its layout, and keep
// the one that they have.
void Plan::forget(std::uint32_t index)
{
    const Program::Item &item = program_->receives()[index];
    arrivals_[index].understood = false;
    for (std::uint32_t i = item.first_slice;
         !use_settled_ && i < item.first_slice + item.slice_count; ++i) {
        layout_.sizes[i] = 0;
        layout_.runs[i].clear();
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
    ++arrivals_[index].missing;
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
    if (--arrivals_[index].missing != 0) {
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
    const char *payload = arrivals_[index].in_rest ? rest_buffers_[index].data()
                                                   : receive_buffers_[index].data() + prefix(item);
    const bool pooled = layout_.pooled[program_->sends().size() + index] != 0;
    if (pooled && arrivals_[index].understood) {
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
        } else if (arrivals_[index].understood && (!own_message || !comes_in_place(i))) {
            deliver_block(item, slice.block, from);
        }
        if (!rides(bytes)) {
            layout_.sizes[i] = 0; // for the settled layout: not carried here
        }
    }
    for (std::uint32_t i = 0; arrivals_[index].understood && i < item.delivery_count; ++i) {
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
        refuse(item, slot, bytes);
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
        const Rank source = program_->source(slot);
        record(transport_.truncated(source != kNoRank ? source : item.peer, item.peer, bytes,
                                    block.bytes));
    }
    const bool differ = rides(bytes) != rides(block.bytes);
    for (std::size_t i = 0; differ && i < program_->receives().size(); ++i) {
        const Program::Item &direct = program_->receives()[i];
        Token &token = tokens_[program_->sends().size() + i];
        if (direct.carry != Carry::large || program_->slices()[direct.first_slice].block != slot) {
            continue;
        }
        arrivals_[i].disputed = true;
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
