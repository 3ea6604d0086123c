#include "execute/headerless_layout.h"

#include <algorithm>
#include <functional>

namespace nbrhood {
namespace {

std::size_t rounded(std::size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

// Where the bytes of the application's blocks lie, found when first asked for.
class Places {
public:
    Places(const std::vector<UserBlock> &blocks, Transport &transport)
        : blocks_(blocks), transport_(transport), memory_segments_(blocks.size()),
          known_(blocks.size(), 0)
    {}

    const UserBlock &block(std::size_t number) const { return blocks_[number]; }

    // Null for a block that the transport has to pack or unpack.
    const std::vector<MemorySegment> *find(std::size_t number)
    {
        const UserBlock &block = blocks_[number];
        std::vector<MemorySegment> &memory_segments = memory_segments_[number];
        if (known_[number] == 0) {
            known_[number] = 1;
            if (block.data != nullptr) {
                memory_segments.push_back(MemorySegment{block.data, block.bytes});
            } else if (!transport_.flatten(block, block.bytes / kShortestSegment,
                                           memory_segments)) {
                memory_segments.clear();
            }
        }
        return memory_segments.empty() ? nullptr : &memory_segments;
    }

private:
    const std::vector<UserBlock> &blocks_;
    Transport &transport_;
    std::vector<std::vector<MemorySegment>> memory_segments_;
    std::vector<char> known_;
};

// Calls use(a, b, bytes) for segments of equal bytes of two places, as far as the shorter reaches.
template <typename Use>
void walk(const std::vector<MemorySegment> &a, const std::vector<MemorySegment> &b, const Use &use)
{
    std::size_t i = 0, j = 0, done_a = 0, done_b = 0;
    while (i < a.size() && j < b.size()) {
        const std::size_t bytes = std::min(a[i].bytes - done_a, b[j].bytes - done_b);
        if (bytes != 0) {
            use(a[i].at + done_a, b[j].at + done_b, bytes);
        }
        done_a += bytes;
        done_b += bytes;
        if (done_a == a[i].bytes) {
            ++i;
            done_a = 0;
        }
        if (j < b.size() && done_b == b[j].bytes) {
            ++j;
            done_b = 0;
        }
    }
}

// Appends a copy, merging it with the last one when both ends continue it.
void append(std::vector<HeaderlessLayout::Copy> &copies, const HeaderlessLayout::Copy &next)
{
    if (!copies.empty() && next.place != nullptr && copies.back().place != nullptr
        && copies.back().place + copies.back().bytes == next.place
        && copies.back().message + copies.back().bytes == next.message) {
        copies.back().bytes += next.bytes;
    } else {
        copies.push_back(next);
    }
}

} // namespace

class HeaderlessLayout::Binder {
public:
    Binder(const Program &program, const BlockLayout &layout, std::size_t packing_threshold,
           Transport &transport, const std::vector<UserBlock> &send_blocks,
           const std::vector<UserBlock> &receive_blocks, bool in_place, std::vector<char> &storage)
        : program_(program), layout_(layout), packing_threshold_(packing_threshold),
          sources_(send_blocks, transport), slots_(receive_blocks, transport), in_place_(in_place),
          storage_(storage), staged_(program.staging_blocks())
    {
        storage_.assign(room(), 0);
    }

    Placement place_receive(std::size_t index)
    {
        const Program::Item &item = program_.receives()[index];
        Placement placement;
        if (item.carry != Carry::combined) {
            return placement;
        }
        deduplicated_ = layout_.deduplicated[program_.sends().size() + index] != 0;
        place_unpacked(item, slots_, true, placement);
        begin_message(item, placement);
        bool staging_stays = false; // staging lies in the buffers of the messages that bring it
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            if (!packed(i)) {
                continue;
            }
            const std::vector<MemorySegment> where = memory_segments_in(placement.at, i);
            if (slice.space == Space::staging) {
                staged_[slice.block] = where;
                staging_stays = true;
            } else {
                deliver(where, slice.block, placement.copies);
            }
        }
        for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
            const Program::Delivery &delivery = program_.deliveries()[item.first_delivery + i];
            if (layout_.sizes[delivery.slice] != 0) {
                deliver(staged_[program_.slices()[delivery.slice].block], delivery.slot,
                        placement.copies);
            }
        }
        end_message(placement, in_place_ && !staging_stays);
        return placement;
    }

    Placement place_send(std::size_t index)
    {
        const Program::Item &item = program_.sends()[index];
        Placement placement;
        if (item.carry != Carry::combined) {
            return placement;
        }
        deduplicated_ = layout_.deduplicated[index] != 0;
        place_unpacked(item, sources_, false, placement);
        begin_message(item, placement);
        std::vector<BlockSegment> segments; // their positions are offsets in the message
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            if (!packed(i)) {
                continue;
            }
            const std::vector<MemorySegment> where = memory_segments_in(placement.at, i);
            const std::vector<MemorySegment> *from =
                slice.space == Space::staging ? &staged_[slice.block] : sources_.find(slice.block);
            if (from == nullptr) {
                const UserBlock &block = sources_.block(slice.block);
                placement.copies.push_back(Copy{where[0].at, nullptr, &block, block.bytes});
                continue;
            }
            walk(where, *from, [&](char *to, char *memory, std::size_t bytes) {
                segments.push_back(
                    BlockSegment{static_cast<std::uint64_t>(to - placement.at), memory, bytes});
            });
        }
        cover(segments); // bytes that blocks share are written once
        for (const BlockSegment &segment : segments) {
            append(placement.copies,
                   Copy{placement.at + segment.position, const_cast<char *>(segment.memory),
                        nullptr, segment.bytes});
        }
        end_message(placement, true);
        return placement;
    }

private:
    bool packed(std::uint32_t slice) const
    {
        const std::size_t bytes = layout_.sizes[slice];
        return bytes != 0 && (deduplicated_ || bytes <= packing_threshold_);
    }

    std::size_t payload(const Program::Item &item) const
    {
        std::size_t bytes = 0;
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            if (deduplicated_) {
                for (const PayloadSegment &payload_segment : layout_.payload_segments[i]) {
                    bytes = std::max<std::size_t>(bytes, std::size_t{payload_segment.at}
                                                             + payload_segment.bytes);
                }
            } else if (packed(i)) {
                bytes += layout_.sizes[i];
            }
        }
        return bytes;
    }

    // Bytes for all messages, for unpacked blocks without another place, and for blocks that have
    // to be put together for the transport, each from a multiple of 16 on.
    std::size_t room()
    {
        std::size_t bytes = 0;
        for (const auto *items : {&program_.sends(), &program_.receives()}) {
            const bool comes = items == &program_.receives();
            for (std::size_t n = 0; n < items->size(); ++n) {
                const Program::Item &item = (*items)[n];
                deduplicated_ = layout_.deduplicated[comes ? program_.sends().size() + n : n] != 0;
                bytes += rounded(payload(item));
                for (std::uint32_t i = item.first_slice;
                     comes && i < item.first_slice + item.slice_count; ++i) {
                    const Slice &slice = program_.slices()[i];
                    const bool apart = slice.space == Space::receive && in_parts(slice.block);
                    bytes += !packed(i) || apart ? rounded(layout_.sizes[i]) : 0;
                }
                for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
                    const Program::Delivery &delivery =
                        program_.deliveries()[item.first_delivery + i];
                    bytes += in_parts(delivery.slot) ? rounded(layout_.sizes[delivery.slice]) : 0;
                }
            }
        }
        return bytes;
    }

    bool in_parts(std::size_t slot) const { return slots_.block(slot).data == nullptr; }

    char *take(std::size_t bytes)
    {
        char *const at = storage_.data() + used_;
        used_ += rounded(bytes);
        return at;
    }

    void begin_message(const Program::Item &item, Placement &placement)
    {
        placement.bytes = payload(item);
        placement.at = take(placement.bytes);
        offset_ = 0;
    }

    // A message that is a single segment of plain memory needs no buffer; it was the last one
    // taken.
    void end_message(Placement &placement, bool may_be_in_place)
    {
        const auto &copies = placement.copies;
        if (may_be_in_place && copies.size() == 1 && copies[0].place != nullptr
            && copies[0].message == placement.at && copies[0].bytes == placement.bytes) {
            used_ -= rounded(placement.bytes);
            placement.at = copies[0].place;
            placement.copies.clear();
        }
    }

    // Where a packed block lies in its message; blocks are asked for in their order.
    std::vector<MemorySegment> memory_segments_in(char *message, std::uint32_t slice)
    {
        std::vector<MemorySegment> memory_segments;
        if (!deduplicated_) {
            memory_segments.push_back(MemorySegment{message + offset_, layout_.sizes[slice]});
            offset_ += layout_.sizes[slice];
        }
        for (const PayloadSegment &payload_segment : layout_.payload_segments[slice]) {
            if (deduplicated_) {
                memory_segments.push_back(
                    MemorySegment{message + payload_segment.at, payload_segment.bytes});
            }
        }
        return memory_segments;
    }

    void deliver(const std::vector<MemorySegment> &from, std::size_t slot,
                 std::vector<Copy> &copies)
    {
        const std::vector<MemorySegment> *to = slots_.find(slot);
        const UserBlock &block = slots_.block(slot);
        if (to != nullptr) {
            walk(from, *to, [&](char *message, char *place, std::size_t bytes) {
                append(copies, Copy{message, place, nullptr, bytes});
            });
            return;
        }
        std::size_t bytes = 0;
        for (const MemorySegment &memory_segment : from) {
            bytes += memory_segment.bytes;
        }
        char *whole = from.front().at;
        if (from.size() > 1) {
            whole = take(bytes);
            walk(from, {MemorySegment{whole, bytes}},
                 [&](char *message, char *place, std::size_t part) {
                     append(copies, Copy{message, place, nullptr, part});
                 });
        }
        copies.push_back(Copy{whole, nullptr, &block, bytes});
    }

    // Unpacked blocks of the application stay where they are, staged ones get a place when they
    // come.
    void place_unpacked(const Program::Item &item, const Places &places, bool comes,
                        Placement &placement)
    {
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            const std::size_t bytes = layout_.sizes[i];
            if (bytes == 0 || packed(i)) {
                continue;
            }
            Unpacked unpacked{i, nullptr, nullptr, bytes};
            if (slice.space == Space::staging && !comes) {
                unpacked.place = staged_[slice.block].front().at;
            } else if (slice.space != Space::staging && (in_place_ || !comes)) {
                unpacked.block = &places.block(slice.block);
            } else {
                unpacked.place = take(bytes);
                if (slice.space == Space::staging) {
                    staged_[slice.block] = {MemorySegment{unpacked.place, bytes}};
                }
            }
            placement.unpacked.push_back(unpacked);
        }
    }

    const Program &program_;
    const BlockLayout &layout_;
    std::size_t packing_threshold_;
    Places sources_;
    Places slots_;
    bool in_place_;
    std::vector<char> &storage_;
    std::vector<std::vector<MemorySegment>> staged_; // by staging block
    std::size_t used_ = 0;
    std::size_t offset_ = 0;    // of the next block of the message at hand
    bool deduplicated_ = false; // the message at hand
};

void HeaderlessLayout::bind(const Program &program, const BlockLayout &layout,
                            std::size_t packing_threshold, Transport &transport,
                            const std::vector<UserBlock> &send_blocks,
                            const std::vector<UserBlock> &receive_blocks, bool in_place)
{
    sends_.clear();
    receives_.clear();
    Binder binder(program, layout, packing_threshold, transport, send_blocks, receive_blocks,
                  in_place, storage_);
    // Receives first: they say where staging lies.
    for (std::size_t i = 0; i < program.receives().size(); ++i) {
        receives_.push_back(binder.place_receive(i));
    }
    for (std::size_t i = 0; i < program.sends().size(); ++i) {
        sends_.push_back(binder.place_send(i));
    }
}

void HeaderlessLayout::move(std::ptrdiff_t send, std::ptrdiff_t receive)
{
    move(sends_, send);
    move(receives_, receive);
}

// What does not lie in the buffers of this layout is the application's.
void HeaderlessLayout::move(std::vector<Placement> &placements, std::ptrdiff_t bytes) const
{
    const std::less<> before;
    const char *const end = storage_.data() + storage_.size();
    const auto shift = [&](char *&at) {
        if (before(at, storage_.data()) || !before(at, end)) {
            at = moved(at, bytes);
        }
    };
    for (Placement &placement : placements) {
        shift(placement.at);
        for (Copy &move : placement.copies) {
            shift(move.place);
        }
        for (Unpacked &unpacked : placement.unpacked) {
            shift(unpacked.place);
        }
    }
}

std::size_t HeaderlessLayout::memory() const
{
    std::size_t bytes = storage_.size();
    for (const auto *placements : {&sends_, &receives_}) {
        for (const Placement &placement : *placements) {
            bytes += placement.copies.capacity() * sizeof(Copy)
                     + placement.unpacked.capacity() * sizeof(Unpacked);
        }
    }
    return bytes;
}

} // namespace nbrhood
