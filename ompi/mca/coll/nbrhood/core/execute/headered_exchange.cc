#include "execute/headered_exchange.h"

#include <algorithm>
#include <cstring>

namespace nbrhood {

HeaderedExchange::HeaderedExchange(Execution &execution, bool learns)
    : CombinedExchange(execution), learns_(learns), layout_(program_),
      staged_(program_.staging_blocks()), arrivals_(program_.receives().size()),
      send_buffers_(program_.sends().size()), receive_buffers_(program_.receives().size()),
      rest_buffers_(program_.receives().size()), unpacked_buffers_(program_.slices().size())
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

// Bytes of payload in the first message of an operation, behind header and sizes; what exceeds them
// follows. The receiver preposts as much.
std::size_t HeaderedExchange::room(const Program::Item &item) const
{
    const WireSettings &wire = execution_.wire();
    return std::min(wire.preposted_size,
                    item.slice_count * std::min(wire.combining_threshold, wire.packing_threshold));
}

// ---- Sending ----

std::size_t HeaderedExchange::slice_bytes(const Slice &slice) const
{
    return slice.space == Space::staging ? staged_[slice.block].bytes
                                         : execution_.send_blocks[slice.block].bytes;
}

void HeaderedExchange::append_payload(const Slice &slice, std::size_t bytes, char *to)
{
    if (slice.space == Space::staging) {
        const Staged &staged = staged_[slice.block];
        if (staged.payload_segments == nullptr) {
            std::memcpy(to, staged.at, bytes);
            return;
        }
        for (const PayloadSegment &payload_segment : *staged.payload_segments) {
            std::memcpy(to, staged.at + payload_segment.at, payload_segment.bytes);
            to += payload_segment.bytes;
        }
        return;
    }
    const UserBlock &block = execution_.send_blocks[slice.block];
    if (block.data != nullptr) {
        std::memcpy(to, block.data, bytes);
    } else {
        execution_.lose(execution_.transport().pack(block, to), program_.rank());
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
            header.payload += execution_.packed(slice_bytes(program_.slices()[i]));
        }
    }
    std::vector<char> &buffer = send_buffers_[send];
    buffer.resize(prefix(item) + header.payload);
    char *size_at = buffer.data() + sizeof(Header);
    char *payload_at = buffer.data() + prefix(item);
    for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        const std::uint64_t bytes = slice_bytes(slice);
        std::memcpy(size_at, &bytes, sizeof bytes);
        size_at += sizeof bytes;
        layout_.sizes[i] = execution_.combines(bytes) ? bytes : 0;
        if (!deduplicated && execution_.packed(bytes) != 0) {
            append_payload(slice, bytes, payload_at);
            payload_at += bytes;
        }
    }
    if (deduplicated) {
        deduplicated_payload_.write_table(payload_at);
        deduplicated_payload_.write(payload_at + header.table);
    }
    if (execution_.lost().error != 0) {
        header.failed = static_cast<std::uint32_t>(execution_.lost().error);
        header.payload = 0; // what is missing has no place in it, so nothing follows
        header.table = execution_.lost().encode();
        buffer.resize(prefix(item));
    }
    std::memcpy(buffer.data(), &header, sizeof header);
    const std::size_t first = std::min(buffer.size(), prefix(item) + room(item));
    execution_.send_bytes(buffer.data(), first, item, false, execution_.synchronous(),
                          execution_.token(Token::send, send));
    if (first < buffer.size()) {
        execution_.send_bytes(buffer.data() + first, buffer.size() - first, item, true, false,
                              execution_.token(Token::send_rest, send));
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        if (header.failed == 0 && !deduplicated && execution_.unpacked(layout_.sizes[i])) {
            if (slice.space == Space::staging) {
                send_alone(i, staged_[slice.block].at, nullptr, layout_.sizes[i]);
            } else {
                send_alone(i, nullptr, &execution_.send_blocks[slice.block], layout_.sizes[i]);
            }
        }
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

// Reads the header and the sizes of a message of which this many bytes arrived. Returns what is
// wrong with them, or null. What they say is bounded by what this rank knows: its number of blocks,
// and T.
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
        in_message += execution_.packed(size);
        combined_bytes += execution_.combines(size) ? size : 0;
    }
    if (header.table == 0) {
        return header.payload == in_message ? nullptr : "the sizes of its blocks do not add up";
    }
    return header.table <= header.payload && header.payload - header.table <= combined_bytes
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

// What a message should carry is missing where it comes from: this rank's own messages say so, too.
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
                                  ? layout_.sizes[event.index]
                                  : rest_buffers_[receive].size() - room(item);
    if (event.error == 0 && event.bytes != bytes) {
        Header got = expected_header(item);
        got.payload = event.bytes;
        reject(receive, "what follows it is not as long as it says", got, bytes);
    }
}

// A message is not the one that was expected.
void HeaderedExchange::reject(std::uint32_t receive, const char *fault, const Header &got,
                              std::size_t bytes)
{
    forget(receive);
    tell_mismatch(program_.receives()[receive], fault, got, bytes);
}

// Leaves nothing of a message that could be used.
void HeaderedExchange::forget(std::uint32_t receive)
{
    const Program::Item &item = program_.receives()[receive];
    arrivals_[receive].understood = false;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        layout_.sizes[i] = 0;
        layout_.payload_segments[i].clear();
    }
}

// Whether an unpacked block comes straight into its receive slot.
bool HeaderedExchange::comes_in_place(std::uint32_t slice) const
{
    const Slice &place = program_.slices()[slice];
    if (place.space != Space::receive) {
        return false;
    }
    const std::size_t room = execution_.receive_blocks[place.block].bytes;
    return execution_.combines(room) && layout_.sizes[slice] <= room;
}

void HeaderedExchange::post_unpacked(std::uint32_t slice)
{
    const std::size_t bytes = layout_.sizes[slice];
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
        if (!deduplicated) {
            payload += execution_.packed(bytes);
        } else if (layout_.payload_segments[i].size() == 1) {
            from.at += layout_.payload_segments[i].front().at;
        } else {
            from.payload_segments = &layout_.payload_segments[i];
        }
        if (slice.space == Space::staging) {
            staged_[slice.block] = from;
        } else if (arrival.understood && (!own_message || !comes_in_place(i))) {
            deliver_block(item, slice.block, from);
        }
        if (!execution_.combines(bytes)) {
            layout_.sizes[i] = 0; // for the layout that is learnt: not carried here
        }
    }
    for (std::uint32_t i = 0; arrival.understood && i < item.delivery_count; ++i) {
        const Program::Delivery &delivery = program_.deliveries()[item.first_delivery + i];
        deliver_block(item, delivery.slot, staged_[program_.slices()[delivery.slice].block]);
    }
}

// A relayed block of this rank: its bytes are at `from` if they are few enough to be combined.
void HeaderedExchange::deliver_block(const Program::Item &item, std::uint32_t slot,
                                     const Staged &from)
{
    const UserBlock &block = execution_.receive_blocks[slot];
    const bool was_combined = execution_.combines(from.bytes);
    if (was_combined != execution_.combines(block.bytes)
        || (was_combined && from.bytes > block.bytes)) {
        refuse(item, slot, from.bytes);
    } else if (execution_.error() == 0 && was_combined && from.bytes != 0) {
        copy_out(from, block);
    }
}

// A block is not of the size that this rank gave for it.
void HeaderedExchange::refuse(const Program::Item &item, std::uint32_t slot, std::size_t bytes)
{
    const UserBlock &block = execution_.receive_blocks[slot];
    if (execution_.error() == 0) {
        const Rank source = program_.source(slot);
        execution_.record(execution_.transport().truncated(source != kNoRank ? source : item.peer,
                                                           item.peer, bytes, block.bytes));
    }
    if (execution_.combines(bytes) != execution_.combines(block.bytes)) {
        execution_.settle_dispute(slot, execution_.combines(bytes));
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
         {&send_buffers_, &receive_buffers_, &rest_buffers_, &unpacked_buffers_}) {
        for (const std::vector<char> &buffer : *buffers) {
            total += buffer.capacity();
        }
    }
    return total;
}

} // namespace nbrhood
