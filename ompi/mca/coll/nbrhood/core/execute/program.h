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
        Rank peer = kNoRank;
        std::uint32_t first_slice = 0;
        std::uint32_t slice_count = 0;
        std::uint32_t waits_for = 0;  // of a send: receives that fill its staging slices
        std::uint32_t first_feed = 0; // of a receive: sends that wait for it, in feeds()
        std::uint32_t feed_count = 0;
        std::uint32_t first_delivery = 0; // of a receive: copies from its staging, in deliveries()
        std::uint32_t delivery_count = 0;
    };

    // A copy of a received block from staging to a receive slot of this rank.
    struct Delivery {
        std::uint32_t slice = 0; // the staging slice that the block came in, in slices()
        std::uint32_t slot = 0;
    };

    // Throws std::invalid_argument for a pattern that cannot run: a send or copy of staging that
    // nothing fills, a slice that does not exist, or one that is not a whole block (no algorithm
    // has those yet).
    explicit Program(const Pattern &pattern);

    const std::vector<Item> &sends() const { return sends_; }
    const std::vector<Item> &receives() const { return receives_; }
    const std::vector<std::pair<Slice, Slice>> &copies() const { return copies_; }
    const std::vector<Slice> &slices() const { return slices_; }
    // The send or receive that a slice belongs to.
    std::uint32_t owner(std::uint32_t slice) const { return owners_[slice]; }
    const std::vector<std::uint32_t> &feeds() const { return feeds_; }
    const std::vector<Delivery> &deliveries() const { return deliveries_; }
    std::uint32_t staging_blocks() const { return staging_blocks_; }
    bool relays() const { return relays_; } // some message is combined
    Rank rank() const { return rank_; }
    // The rank whose block comes to a receive slot, also where relays bring it; kNoRank where the
    // pattern does not tell.
    Rank source(std::uint32_t slot) const
    {
        return slot < sources_.size() ? sources_[slot] : kNoRank;
    }
    // A block of the send buffer, and a receive slot, that an edge uses; kNone where none does.
    std::uint32_t sent_block() const { return sent_block_; }
    std::uint32_t received_slot() const { return received_slot_; }
    // Whether none of a received message's blocks is for this rank.
    bool only_relayed(const Item &receive) const;

private:
    void add(const Operation &operation, std::vector<Item> &items);
    void note(const Slice &slice);
    void link_sends();
    void link_deliveries(const std::vector<Operation> &copies);
    const std::pair<std::uint32_t, std::uint32_t> &source_of(const Slice &staging) const;

    std::vector<Item> sends_;
    std::vector<Item> receives_;
    std::vector<std::pair<Slice, Slice>> copies_;
    std::vector<Slice> slices_;
    std::vector<std::uint32_t> owners_; // by slice
    std::vector<std::uint32_t> feeds_;
    std::vector<Delivery> deliveries_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> filled_by_; // by staging: receive, slice
    std::vector<Rank> sources_;                                      // by receive slot
    std::uint32_t staging_blocks_ = 0;
    std::uint32_t sent_block_ = kNone;
    std::uint32_t received_slot_ = kNone;
    Rank rank_ = kNoRank;
    bool relays_ = false;
};

} // namespace nbrhood
