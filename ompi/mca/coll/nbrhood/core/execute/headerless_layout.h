// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of a plan in memory once all block sizes are known.
#pragma once

#include <cstddef>
#include <vector>

#include "execute/arena.h"
#include "execute/deduplicated_payload.h"
#include "execute/program.h"
#include "execute/transport.h"

namespace nbrhood {

// The blocks of messages, which the first start of a persistent request learns from headers, or
// which are known from the beginning.
struct BlockLayout {
    explicit BlockLayout(const Program &program)
        : sizes(program.slices().size(), 0), payload_segments(program.slices().size()),
          deduplicated(program.sends().size() + program.receives().size(), 0)
    {}
    std::vector<std::size_t> sizes; // by slice: bytes of its whole block (0: not carried)
    std::vector<std::vector<PayloadSegment>> payload_segments; // by slice of a deduplicated message
    std::vector<char> deduplicated; // by send, then by receive: shared bytes appear once
};

// The buffers of messages without headers, and the copies between them and the application's
// blocks. Starts with a layout compute and allocate nothing.
class HeaderlessLayout {
public:
    // A copy between a message (or other memory of the layout) and a place.
    struct Copy {
        char *message = nullptr;
        char *place = nullptr;            // plain memory; null if `block` is set
        const UserBlock *block = nullptr; // a block that the transport packs or unpacks
        std::size_t bytes = 0;
        // The memory of place and message: the application's buffers, or the layout's own.
        Space space = Space::staging; // of the place
        Space message_space = Space::staging;
    };
    // A block, or a part of a block, that is a message of its own: in plain memory, or a block that
    // the transport packs.
    struct Unpacked {
        std::uint32_t slice = 0;
        char *place = nullptr;            // if `block` is null
        const UserBlock *block = nullptr; // of the application
        std::size_t bytes = 0;
        Space space = Space::staging;
    };
    // A message. If its payload is a single segment of plain memory, it is sent from there, or
    // received there, without copies.
    struct Placement {
        char *at = nullptr;
        std::size_t bytes = 0;
        Space space = Space::staging; // of `at`
        std::vector<Copy> copies;
        std::vector<Unpacked> unpacked;
    };
    // Arguments to bind a plan, besides the layout of its blocks.
    struct Blocks {
        const std::vector<UserBlock> &send;
        const std::vector<UserBlock> &receive;
        // False if sizes do not fit the blocks. Then no message is received directly into a block.
        bool in_place = true;
    };

    // Lays out the combined messages, or the direct ones that travel in bytes. Blocks of more than
    // packing_threshold bytes are messages of their own, except in deduplicated messages. The
    // application's blocks must keep their addresses. Throws std::bad_alloc.
    void bind(const Program &program, Carry carry, const BlockLayout &layout,
              std::size_t packing_threshold, Transport &transport, const Blocks &blocks);

    // Adjusts the layout to application buffers that moved by these distances. All blocks must be
    // contiguous.
    void move(std::ptrdiff_t send, std::ptrdiff_t receive);

    const Placement &send(std::size_t index) const { return sends_[index]; }
    const Placement &receive(std::size_t index) const { return receives_[index]; }
    // Copies before the first send, in the direction of a send: blocks that are put into staging,
    // or packed because parts of them are sent.
    const std::vector<Copy> &first_copies() const { return first_copies_; }
    // The copies of a delivery, in the direction of a receive.
    const std::vector<Copy> &delivery(std::size_t index) const { return deliveries_[index]; }
    // Bytes of buffers and lists held.
    std::size_t memory() const;

private:
    class Binder;

    std::vector<Placement> sends_;
    std::vector<Placement> receives_;
    std::vector<Copy> first_copies_;
    std::vector<std::vector<Copy>> deliveries_;
    Arena arena_;
};

} // namespace nbrhood
