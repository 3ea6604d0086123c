// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/headerless_binder.h"

#include <algorithm>

namespace nbrhood {
namespace {

// Appends a copy, or extends the last one if both ends continue it.
void append(std::vector<HeaderlessLayout::Copy> &copies, const HeaderlessLayout::Copy &next)
{
    if (!copies.empty() && next.place != nullptr && copies.back().place != nullptr
        && copies.back().place + copies.back().bytes == next.place
        && copies.back().message + copies.back().bytes == next.message
        && copies.back().space == next.space) {
        copies.back().bytes += next.bytes;
    } else {
        copies.push_back(next);
    }
}

// The segments of `bytes` bytes from offset `begin` on.
std::vector<MemorySegment> part_of(const std::vector<MemorySegment> &segments, std::size_t begin,
                                   std::size_t bytes)
{
    std::vector<MemorySegment> part;
    for (const MemorySegment &segment : segments) {
        const std::size_t skipped = std::min(begin, segment.bytes);
        const std::size_t taken = std::min(bytes, segment.bytes - skipped);
        if (taken != 0) {
            part.push_back(MemorySegment{segment.at + skipped, taken});
        }
        begin -= skipped;
        bytes -= taken;
    }
    return part;
}

} // namespace

HeaderlessLayout::Binder::Binder(const Program &program, Carry carry, const BlockLayout &layout,
                                 std::size_t packing_threshold, Transport &transport,
                                 const Blocks &blocks, Arena &arena,
                                 std::vector<Copy> &first_copies)
    : program_(program), carry_(carry), layout_(layout), packing_threshold_(packing_threshold),
      sources_(blocks.send, transport), slots_(blocks.receive, transport),
      in_place_(blocks.in_place), arena_(arena), first_copies_(first_copies),
      staging_bytes_(program.staging_blocks(), 0), adjacent_(program.staging_blocks(), 0),
      staged_(program.staging_blocks()), slot_memory_(blocks.receive.size()),
      send_memory_(blocks.send.size())
{
    if (carry_ == Carry::combined) {
        measure_staging();
        place_adjacent();
        for (const auto &copy : program_.staged_copies()) {
            copy_to_staging(copy);
        }
    }
}

// ---- Staging ----

void HeaderlessLayout::Binder::measure_staging()
{
    for (std::uint32_t block = 0; block < program_.staging_blocks(); ++block) {
        adjacent_[block] = program_.adjacent(block) ? 1 : 0;
    }
    for (const auto *items : {&program_.sends(), &program_.receives()}) {
        const bool comes = items == &program_.receives();
        for (std::size_t n = 0; n < items->size(); ++n) {
            const Program::Item &item = (*items)[n];
            const bool shares = layout_.deduplicated[comes ? program_.sends().size() + n : n] != 0;
            for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
                const Slice &slice = program_.slices()[i];
                if (slice.space == Space::staging) {
                    std::size_t &bytes = staging_bytes_[slice.block];
                    bytes = std::max(bytes, layout_.sizes[i]);
                    // A block that shares bytes with others is not contiguous.
                    adjacent_[slice.block] =
                        adjacent_[slice.block] != 0 && !(comes && shares) ? 1 : 0;
                }
            }
        }
    }
}

// Gives adjacent blocks their places, next to each other as in messages. Unpacked blocks travel
// alone.
void HeaderlessLayout::Binder::place_adjacent()
{
    std::size_t together = 0;
    for (std::uint32_t block = 0; block < program_.staging_blocks(); ++block) {
        const bool small = staging_bytes_[block] <= packing_threshold_;
        together += adjacent_[block] != 0 && small ? staging_bytes_[block] : 0;
    }
    char *next = together != 0 ? arena_.take(together) : nullptr;
    for (std::uint32_t block = 0; block < program_.staging_blocks(); ++block) {
        const std::size_t bytes = staging_bytes_[block];
        if (adjacent_[block] == 0 || bytes == 0) {
            continue;
        }
        const bool small = bytes <= packing_threshold_;
        staged_[block] = {MemorySegment{small ? next : arena_.take(bytes), bytes}};
        next += small ? bytes : 0;
    }
}

void HeaderlessLayout::Binder::copy_to_staging(const std::pair<Slice, Slice> &copy)
{
    const auto &to = staged_[copy.second.block];
    const UserBlock &block = sources_.block(copy.first.block);
    if (to.empty()) {
        return;
    }
    const std::vector<MemorySegment> *from = sources_.find(copy.first.block);
    if (from == nullptr) {
        first_copies_.push_back(Copy{to[0].at, nullptr, &block, block.bytes, Space::send});
        return;
    }
    walk(to, *from, [&](char *staged, char *place, std::size_t bytes) {
        append(first_copies_, Copy{staged, place, nullptr, bytes, Space::send});
    });
}

// ---- Blocks that travel in parts ----

// The contiguous memory of the block of a slot: the slot itself or, if the transport has to unpack
// the block, other memory.
const HeaderlessLayout::Binder::Whole &HeaderlessLayout::Binder::slot_memory(std::uint32_t slot,
                                                                             std::size_t bytes)
{
    Whole &whole = slot_memory_[slot];
    if (whole.at == nullptr) {
        const std::vector<MemorySegment> *segments = in_place_ ? slots_.find(slot) : nullptr;
        if (segments != nullptr && segments->size() == 1) {
            whole = Whole{segments->front().at, bytes, Space::receive};
            return whole;
        }
        whole = Whole{nullptr, bytes, Space::staging};
        const UserBlock *own = nullptr; // of a self edge
        for (const auto &[from, to] : program_.copies()) {
            own = to.block == slot ? &sources_.block(from.block) : own;
        }
        whole.at = arena_.take(std::max(bytes, own != nullptr ? own->bytes : 0));
        if (own != nullptr) {
            first_copies_.push_back(Copy{whole.at, nullptr, own, own->bytes, Space::send});
        }
    }
    return whole;
}

// Likewise for a send block, which is packed first.
const HeaderlessLayout::Binder::Whole &HeaderlessLayout::Binder::send_memory(std::uint32_t number)
{
    Whole &whole = send_memory_[number];
    const UserBlock &block = sources_.block(number);
    if (whole.at == nullptr) {
        const std::vector<MemorySegment> *segments = sources_.find(number);
        if (segments != nullptr && segments->size() == 1) {
            whole = Whole{segments->front().at, block.bytes, Space::send};
        } else {
            whole = Whole{arena_.take(block.bytes), block.bytes, Space::staging};
            first_copies_.push_back(Copy{whole.at, nullptr, &block, block.bytes, Space::send});
        }
    }
    return whole;
}

// ---- Messages ----

bool HeaderlessLayout::Binder::served(const Program::Item &item) const
{
    return carry_ == Carry::combined ? item.carry == carry_ : item.in_bytes;
}

bool HeaderlessLayout::Binder::packed(std::uint32_t slice) const
{
    const std::size_t bytes = layout_.sizes[slice];
    return bytes != 0 && (deduplicated_ || bytes <= packing_threshold_);
}

std::size_t HeaderlessLayout::Binder::bytes_of(std::uint32_t slice) const
{
    return program_.slices()[slice].size(layout_.sizes[slice]);
}

std::size_t HeaderlessLayout::Binder::payload(const Program::Item &item) const
{
    std::size_t bytes = 0;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (deduplicated_) {
            for (const PayloadSegment &segment : layout_.payload_segments[i]) {
                bytes = std::max<std::size_t>(bytes, std::size_t{segment.at} + segment.bytes);
            }
        } else if (packed(i)) {
            bytes += bytes_of(i);
        }
    }
    return bytes;
}

// Finds the place of a packed slice in its message. Called for slices in their order.
void HeaderlessLayout::Binder::locate(std::uint32_t slice)
{
    where_.clear();
    if (deduplicated_) {
        where_ = layout_.payload_segments[slice];
    } else {
        where_.push_back(PayloadSegment{offset_, bytes_of(slice)});
        offset_ += bytes_of(slice);
    }
}

// Adds a part, or extends the last one if the new part continues it.
void HeaderlessLayout::Binder::add(std::size_t offset, char *place, std::size_t bytes, Space space)
{
    if (!parts_.empty() && parts_.back().place != nullptr && parts_.back().space == space
        && parts_.back().place + parts_.back().bytes == place
        && parts_.back().offset + parts_.back().bytes == offset) {
        parts_.back().bytes += bytes;
    } else {
        parts_.push_back(Part{offset, place, nullptr, bytes, space});
    }
}

// Adds these places as the source or destination of the current slice.
void HeaderlessLayout::Binder::add_places(const std::vector<MemorySegment> &places, Space space)
{
    walk(where_, places, [&](std::uint64_t offset, char *place, std::size_t bytes) {
        add(offset, place, bytes, space);
    });
}

void HeaderlessLayout::Binder::add_part(const Slice &slice, const Whole &whole)
{
    add_places({MemorySegment{whole.at + slice.begin(whole.bytes), slice.size(whole.bytes)}},
               whole.space);
}

// Gives a message its place, and turns its parts into copies. If its payload is a single segment of
// memory, the message lies there.
void HeaderlessLayout::Binder::finish(Placement &placement, bool may_be_in_place)
{
    if (may_be_in_place && last_copies_.empty() && parts_.size() == 1 && parts_[0].offset == 0
        && parts_[0].place != nullptr && parts_[0].bytes == placement.bytes) {
        placement.at = parts_[0].place;
        placement.space = parts_[0].space;
        return;
    }
    if (placement.at == nullptr) {
        placement.at = arena_.take(placement.bytes);
    }
    placement.copies.reserve(parts_.size() + last_copies_.size());
    for (const Part &part : parts_) {
        placement.copies.push_back(
            Copy{placement.at + part.offset, part.place, part.block, part.bytes, part.space});
    }
    placement.copies.insert(placement.copies.end(), last_copies_.begin(), last_copies_.end());
}

HeaderlessLayout::Placement HeaderlessLayout::Binder::place_receive(std::size_t index)
{
    const Program::Item &item = program_.receives()[index];
    Placement placement;
    if (!served(item)) {
        return placement;
    }
    deduplicated_ = layout_.deduplicated[program_.sends().size() + index] != 0;
    place_unpacked(item, true, placement);
    placement.bytes = payload(item);
    parts_.clear();
    last_copies_.clear();
    offset_ = 0;
    bool to_slots = false;
    bool stays = false; // some staging lies in the message
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        to_slots = to_slots || slice.space == Space::receive;
        stays =
            stays || (slice.space == Space::staging && adjacent_[slice.block] == 0 && packed(i));
    }
    if (stays) {
        placement.at = arena_.take(placement.bytes);
    }
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (packed(i)) {
            locate(i);
            add_received(i, placement);
        }
    }
    finish(placement, !stays && (in_place_ || !to_slots));
    return placement;
}

void HeaderlessLayout::Binder::add_received(std::uint32_t slice, Placement &placement)
{
    const Slice &to = program_.slices()[slice];
    if (to.space == Space::receive && program_.together(to.block)) {
        add_part(to, slot_memory(to.block, layout_.sizes[slice]));
    } else if (to.space == Space::receive) {
        add_to_slot(to.block);
    } else if (adjacent_[to.block] != 0) {
        const MemorySegment &place = staged_[to.block].front();
        add_part(to, Whole{place.at, place.bytes, Space::staging});
    } else {
        staged_[to.block].clear();
        for (const PayloadSegment &segment : where_) {
            staged_[to.block].push_back(MemorySegment{placement.at + segment.at, segment.bytes});
        }
    }
}

// Adds the block of a slot as the current slice.
void HeaderlessLayout::Binder::add_to_slot(std::uint32_t slot)
{
    const UserBlock &block = slots_.block(slot);
    if (const std::vector<MemorySegment> *to = slots_.find(slot)) {
        add_places(*to, Space::receive);
    } else if (where_.size() == 1) {
        parts_.push_back(Part{where_[0].at, nullptr, &block, where_[0].bytes, Space::receive});
    } else { // assembled first
        std::size_t bytes = 0;
        for (const PayloadSegment &segment : where_) {
            bytes += segment.bytes;
        }
        char *const whole = arena_.take(bytes);
        add_places({MemorySegment{whole, bytes}}, Space::staging);
        last_copies_.push_back(Copy{whole, nullptr, &block, bytes, Space::receive});
    }
}

HeaderlessLayout::Placement HeaderlessLayout::Binder::place_send(std::size_t index)
{
    const Program::Item &item = program_.sends()[index];
    Placement placement;
    if (!served(item)) {
        return placement;
    }
    deduplicated_ = layout_.deduplicated[index] != 0;
    place_unpacked(item, false, placement);
    placement.bytes = payload(item);
    parts_.clear();
    last_copies_.clear();
    offset_ = 0;
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        if (packed(i)) {
            locate(i);
            add_sent(i);
        }
    }
    if (deduplicated_) { // shared bytes are written once
        std::vector<BlockSegment> segments;
        const auto plain = std::stable_partition(
            parts_.begin(), parts_.end(), [](const Part &part) { return part.place == nullptr; });
        for (auto part = plain; part != parts_.end(); ++part) {
            segments.push_back(BlockSegment{part->offset, part->place, part->bytes});
        }
        cover(segments);
        parts_.erase(plain, parts_.end());
        for (const BlockSegment &segment : segments) {
            add(segment.position, const_cast<char *>(segment.memory), segment.bytes,
                Space::staging);
        }
    }
    finish(placement, true);
    return placement;
}

void HeaderlessLayout::Binder::add_sent(std::uint32_t slice)
{
    const Slice &from = program_.slices()[slice];
    const std::size_t bytes = layout_.sizes[slice];
    if (from.space == Space::receive) {
        add_part(from, slot_memory(from.block, bytes));
    } else if (from.space == Space::staging && from.whole()) {
        add_places(staged_[from.block], Space::staging);
    } else if (from.space == Space::staging) {
        add_places(part_of(staged_[from.block], from.begin(bytes), from.size(bytes)),
                   Space::staging);
    } else if (!from.whole()) {
        add_part(from, send_memory(from.block));
    } else if (const std::vector<MemorySegment> *places = sources_.find(from.block)) {
        add_places(*places, Space::send);
    } else {
        const UserBlock &block = sources_.block(from.block);
        parts_.push_back(Part{where_[0].at, nullptr, &block, block.bytes, Space::send});
    }
}

// Unpacked blocks of the application stay where they are, staged ones get a place when they come.
void HeaderlessLayout::Binder::place_unpacked(const Program::Item &item, bool comes,
                                              Placement &placement)
{
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program_.slices()[i];
        const std::size_t bytes = layout_.sizes[i];
        if (bytes == 0 || packed(i)) {
            continue;
        }
        Unpacked unpacked{i, nullptr, nullptr, slice.size(bytes), slice.space};
        if (slice.space == Space::staging) {
            if (staged_[slice.block].empty()) {
                staged_[slice.block] = {MemorySegment{arena_.take(bytes), bytes}};
            }
            unpacked.place = staged_[slice.block].front().at + slice.begin(bytes);
        } else if (slice.space == Space::receive && program_.together(slice.block)) {
            const Whole &whole = slot_memory(slice.block, bytes);
            unpacked.place = whole.at + slice.begin(bytes);
            unpacked.space = whole.space;
        } else if (slice.space == Space::send && !slice.whole()) {
            const Whole &whole = send_memory(slice.block);
            unpacked.place = whole.at + slice.begin(bytes);
            unpacked.space = whole.space;
        } else if (in_place_ || !comes) {
            unpacked.block = &(comes ? slots_ : sources_).block(slice.block);
        } else {
            unpacked.place = arena_.take(bytes);
            unpacked.space = Space::staging;
        }
        placement.unpacked.push_back(unpacked);
    }
}

std::vector<HeaderlessLayout::Copy> HeaderlessLayout::Binder::place_delivery(std::size_t index)
{
    const Program::Delivery &delivery = program_.deliveries()[index];
    std::vector<Copy> copies;
    if ((delivery.carry == Carry::combined) != (carry_ == Carry::combined)) {
        return copies;
    }
    std::vector<MemorySegment> from;
    Space space = Space::staging;
    if (delivery.from.space == Space::staging) {
        from = staged_[delivery.from.block];
    } else if (const Whole &whole = slot_memory_[delivery.from.block]; whole.at != nullptr) {
        from = {MemorySegment{whole.at, whole.bytes}};
        space = whole.space;
    }
    const std::vector<MemorySegment> *to = slots_.find(delivery.slot);
    if (from.empty() || (delivery.in_place() && space == Space::receive)) {
        return copies;
    }
    if (to != nullptr) {
        walk(from, *to, [&](char *message, char *place, std::size_t bytes) {
            append(copies, Copy{message, place, nullptr, bytes, Space::receive, space});
        });
        return copies;
    }
    std::size_t bytes = 0;
    for (const MemorySegment &segment : from) {
        bytes += segment.bytes;
    }
    char *whole = from.front().at;
    if (from.size() > 1) { // assembled first
        whole = arena_.take(bytes);
        walk(from, std::vector<MemorySegment>{MemorySegment{whole, bytes}},
             [&](char *message, char *place, std::size_t part) {
                 append(copies, Copy{message, place, nullptr, part, Space::staging, space});
             });
    }
    copies.push_back(
        Copy{whole, nullptr, &slots_.block(delivery.slot), bytes, Space::receive, space});
    return copies;
}

} // namespace nbrhood
