// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The construction of a HeaderlessLayout.
#pragma once

#include <vector>

#include "execute/block_memory.h"
#include "execute/headerless_layout.h"

namespace nbrhood {

// Lays out the messages of one program: receives first, because they determine the places of
// staging.
class HeaderlessLayout::Binder {
public:
    Binder(const Program &program, Carry carry, const BlockLayout &layout,
           std::size_t packing_threshold, Transport &transport, const Blocks &blocks, Arena &arena,
           std::vector<Copy> &first_copies);

    Placement place_receive(std::size_t index);
    Placement place_send(std::size_t index);
    std::vector<Copy> place_delivery(std::size_t index);

private:
    // A part of a message's payload, beginning at `offset`, and its source or destination as in a
    // Copy.
    struct Part {
        std::size_t offset = 0;
        char *place = nullptr;
        const UserBlock *block = nullptr;
        std::size_t bytes = 0;
        Space space = Space::staging;
    };

    // A block of the application in one segment of memory: its own, or a copy.
    struct Whole {
        char *at = nullptr; // null: not yet determined
        std::size_t bytes = 0;
        Space space = Space::staging;
    };

    bool served(const Program::Item &item) const;
    bool packed(std::uint32_t slice) const;
    std::size_t bytes_of(std::uint32_t slice) const;
    std::size_t payload(const Program::Item &item) const;

    void measure_staging();
    void place_adjacent();
    void copy_to_staging(const std::pair<Slice, Slice> &copy);
    const Whole &slot_memory(std::uint32_t slot, std::size_t bytes);
    const Whole &send_memory(std::uint32_t block);

    void locate(std::uint32_t slice);
    void add(std::size_t offset, char *place, std::size_t bytes, Space space);
    void add_places(const std::vector<MemorySegment> &places, Space space);
    void add_part(const Slice &slice, const Whole &whole);
    void add_sent(std::uint32_t slice);
    void add_received(std::uint32_t slice, Placement &placement);
    void add_to_slot(std::uint32_t slot);
    void place_unpacked(const Program::Item &item, bool comes, Placement &placement);
    void finish(Placement &placement, bool may_be_in_place);

    const Program &program_;
    Carry carry_;
    const BlockLayout &layout_;
    std::size_t packing_threshold_;
    BlockMemory sources_;
    BlockMemory slots_;
    bool in_place_;
    Arena &arena_;
    std::vector<Copy> &first_copies_;
    std::vector<std::size_t> staging_bytes_;         // by staging block
    std::vector<char> adjacent_;                     // likewise
    std::vector<std::vector<MemorySegment>> staged_; // likewise: where it lies
    std::vector<Whole> slot_memory_;    // by receive slot: blocks that must be contiguous
    std::vector<Whole> send_memory_;    // by send block: blocks that are divided
    std::vector<PayloadSegment> where_; // of the current slice, in its message
    std::vector<Part> parts_;           // of the current message, in its order
    std::vector<Copy> last_copies_;     // of the current message, after those of its parts
    std::size_t offset_ = 0;            // of its next slice
    bool deduplicated_ = false;         // the current message
};

} // namespace nbrhood
