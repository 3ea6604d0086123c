// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A pattern compiled for execution: flat arrays, dependencies resolved. Immutable, shared by plans.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

class Program {
public:
    static constexpr std::uint32_t kNone = 0xffffffff;

    // One message. Slices are [first_slice, first_slice + slice_count) of slices().
    struct Item {
        Carry carry = Carry::direct;
        std::uint8_t phase = 0;
        bool cut = false;      // some slice is not a whole block
        bool in_bytes = false; // see travels_in_bytes
        // Sends of one phase to one rank start one after the other: next_in_order names the next
        // one, where this one waits; that one is in_order.
        bool in_order = false;
        std::uint32_t next_in_order = kNone;
        Rank peer = kNoRank;
        std::uint32_t first_slice = 0;
        std::uint32_t slice_count = 0;
        std::uint32_t waits_for = 0;  // of a send: receives that bring what it passes on
        std::uint32_t first_feed = 0; // of a receive: sends that wait for it, in feeds()
        std::uint32_t feed_count = 0;
        std::uint32_t first_delivery = 0; // of a receive: what waits for it, in delivery_feeds()
        std::uint32_t delivery_count = 0;
    };

    // A copy to a receive slot of this rank, of what receives brought: from staging, from another
    // slot, or, where `from` is the slot itself, from wherever parts of its block were put together
    // if that could not be done in the slot.
    struct Delivery {
        Slice from;
        std::uint32_t slot = 0;
        std::uint32_t waits_for = 0;   // receives
        Carry carry = Carry::combined; // of the messages that bring it
        bool in_place() const { return from.space == Space::receive && from.block == slot; }
    };

    // Throws std::invalid_argument for a pattern that cannot run: a slice that does not exist, a
    // send or copy of what nothing fills, two operations that fill one place, a place that direct
    // messages fill and combined ones read or the reverse, staging in direct messages.
    explicit Program(const Pattern &pattern);

    const std::vector<Item> &sends() const { return sends_; }
    const std::vector<Item> &receives() const { return receives_; }
    // From the send buffer to receive slots, and to staging; they wait for nothing.
    const std::vector<std::pair<Slice, Slice>> &copies() const { return copies_; }
    const std::vector<std::pair<Slice, Slice>> &staged_copies() const { return staged_copies_; }
    // Slices of all messages; runs of blocks as single ones.
    const std::vector<Slice> &slices() const { return slices_; }
    // The send or receive that a slice belongs to.
    std::uint32_t owner(std::uint32_t slice) const { return owners_[slice]; }
    const std::vector<std::uint32_t> &feeds() const { return feeds_; }
    const std::vector<Delivery> &deliveries() const { return deliveries_; }
    const std::vector<std::uint32_t> &delivery_feeds() const { return delivery_feeds_; }
    std::uint32_t staging_blocks() const { return staging_blocks_; }
    bool relays() const { return relays_; }       // some message is combined
    bool has_bytes() const { return has_bytes_; } // some direct message is in_bytes
    // Whether it is one message for each edge, of a whole block, and nothing waits for another.
    bool one_message_per_edge() const { return !relays_ && !has_bytes_; }
    // Whether each message is one block of the application, or bytes of one, from a buffer of the
    // application into another, so that, where in_bytes blocks are contiguous, nobody but the
    // transport touches their bytes.
    bool passes_blocks_on() const;
    Rank rank() const { return rank_; }
    // The rank whose block comes to a receive slot, also where relays bring it; kNoRank where the
    // pattern does not tell.
    Rank source(std::uint32_t slot) const
    {
        return slot < sources_.size() ? sources_[slot] : kNoRank;
    }
    // Whether the block of a receive slot comes in parts or is read there, so that it has to be
    // together in plain memory; and the block of a staging place, whether it comes in parts.
    bool together(std::uint32_t slot) const { return slot < together_.size() && together_[slot]; }
    bool in_parts(std::uint32_t staging) const { return in_parts_[staging] != 0; }
    // Whether a staging block lies adjacent to its neighbours, and not in the message that
    // brought it: messages that are runs of such blocks come and go there as they are.
    bool adjacent(std::uint32_t staging) const { return adjacent_[staging] != 0; }
    // A block of the send buffer, and a receive slot, that an edge uses; kNone where none does.
    std::uint32_t sent_block() const { return sent_block_; }
    std::uint32_t received_slot() const { return received_slot_; }
    // Whether none of a received message's blocks is for this rank.
    bool only_relayed(const Item &receive) const;

private:
    // An operation that fills a place: a slice of a receive, or a copy.
    struct Fill {
        Slice slice;
        std::uint32_t receive = kNone;
        Carry carry = Carry::direct;
        Slice from; // of a copy
    };
    class Linker;

    void add(const Operation &operation, std::vector<Item> &items);
    void note(const Slice &slice);

    std::vector<Item> sends_;
    std::vector<Item> receives_;
    std::vector<std::pair<Slice, Slice>> copies_;
    std::vector<std::pair<Slice, Slice>> staged_copies_;
    std::vector<Slice> slices_;
    std::vector<std::uint32_t> owners_; // by slice
    std::vector<std::uint32_t> feeds_;
    std::vector<Delivery> deliveries_;
    std::vector<std::uint32_t> delivery_feeds_;
    std::vector<Rank> sources_;  // by receive slot
    std::vector<char> together_; // by receive slot
    std::vector<char> in_parts_; // by staging block
    std::vector<char> adjacent_; // likewise
    std::uint32_t staging_blocks_ = 0;
    std::uint32_t sent_block_ = kNone;
    std::uint32_t received_slot_ = kNone;
    Rank rank_ = kNoRank;
    bool relays_ = false;
    bool has_bytes_ = false;
};

} // namespace nbrhood
