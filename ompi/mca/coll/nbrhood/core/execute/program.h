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
        // Sends of one phase to one rank start one after the other. If this one waits,
        // next_in_order is the send after it, whose in_order is set.
        bool in_order = false;
        std::uint32_t next_in_order = kNone;
        Rank peer = kNoRank;
        std::uint32_t first_slice = 0;
        std::uint32_t slice_count = 0;
        std::uint32_t waits_for = 0;  // of a send: receives that bring its blocks
        std::uint32_t first_feed = 0; // of a receive: sends that wait for it, in feeds()
        std::uint32_t feed_count = 0;
        std::uint32_t first_delivery = 0; // of a receive: waiting deliveries, in delivery_feeds()
        std::uint32_t delivery_count = 0;
    };

    // A copy of received data to a receive slot of this rank: from staging or from another slot. If
    // `from` is the slot itself, its block was assembled from parts outside the slot, and is copied
    // from there.
    struct Delivery {
        Slice from;
        std::uint32_t slot = 0;
        std::uint32_t waits_for = 0;   // receives
        Carry carry = Carry::combined; // of the messages that bring the block
        bool in_place() const { return from.space == Space::receive && from.block == slot; }
    };

    // Throws std::invalid_argument for a pattern that cannot run: an invalid slice, a send or copy
    // of data that no operation brings, two operations that fill one place, a place that direct
    // messages fill and combined ones read or the reverse, staging in direct messages.
    explicit Program(const Pattern &pattern);

    const std::vector<Item> &sends() const { return sends_; }
    const std::vector<Item> &receives() const { return receives_; }
    // Copies from the send buffer to receive slots and to staging, which wait for nothing.
    const std::vector<std::pair<Slice, Slice>> &copies() const { return copies_; }
    const std::vector<std::pair<Slice, Slice>> &staged_copies() const { return staged_copies_; }
    // Slices of all messages; runs are divided into single blocks.
    const std::vector<Slice> &slices() const { return slices_; }
    // The send or receive that a slice belongs to.
    std::uint32_t owner(std::uint32_t slice) const { return owners_[slice]; }
    const std::vector<std::uint32_t> &feeds() const { return feeds_; }
    const std::vector<Delivery> &deliveries() const { return deliveries_; }
    const std::vector<std::uint32_t> &delivery_feeds() const { return delivery_feeds_; }
    std::uint32_t staging_blocks() const { return staging_blocks_; }
    bool relays() const { return relays_; }       // some message is combined
    bool has_bytes() const { return has_bytes_; } // some direct message is in_bytes
    // Whether the program is one message of a whole block for each edge, and no message waits for
    // another.
    bool one_message_per_edge() const { return !relays_ && !has_bytes_; }
    // Whether each message is one block of the application, or bytes of one, from a buffer of the
    // application into another, so that only the transport touches the bytes if blocks of in_bytes
    // messages are contiguous.
    bool passes_blocks_on() const;
    Rank rank() const { return rank_; }
    // The rank whose block comes to a receive slot, even if relays bring it; kNoRank if the pattern
    // does not tell.
    Rank source(std::uint32_t slot) const
    {
        return slot < sources_.size() ? sources_[slot] : kNoRank;
    }
    // Whether the block of a receive slot must be contiguous in plain memory, because it comes in
    // parts or is sent on from there; and whether a staging block comes in parts.
    bool together(std::uint32_t slot) const { return slot < together_.size() && together_[slot]; }
    bool in_parts(std::uint32_t staging) const { return in_parts_[staging] != 0; }
    // Whether a staging block lies next to its neighbours, and not in the message that brought it.
    // Messages that are runs of such blocks need no copies.
    bool adjacent(std::uint32_t staging) const { return adjacent_[staging] != 0; }
    // A block of the send buffer, and a receive slot, that some edge uses; kNone if there is none.
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
        Slice from; // of the copy
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
