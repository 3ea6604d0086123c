// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Combined messages with headers, which tell the sizes of their blocks.
#pragma once

#include <vector>

#include "execute/combined_exchange.h"
#include "execute/deduplicated_payload.h"
#include "execute/headerless_layout.h"
#include "execute/shared_bytes.h"

namespace nbrhood {

// The exchange of calls whose sizes relays do not know, and of the first start of persistent
// requests, which learns the sizes. See docs/wire.md, section 4, for the format of the messages.
class HeaderedExchange : public CombinedExchange {
public:
    // learns: keeps the blocks' layout after the operation. Throws std::bad_alloc.
    HeaderedExchange(Execution &execution, bool learns);

    // Finds the bytes that the send blocks share, if this rank removes duplicates; see
    // Plan::find_shared. Throws std::bad_alloc.
    void find_shared(const std::int64_t *indices);

    void begin() override;
    void post(std::uint32_t receive) override;
    void launch(std::uint32_t send) override;
    void deliver_late(std::uint32_t delivery, std::uint32_t receive) override;
    std::size_t memory() const override;

    // After an operation that learns: whether all messages were understood, and the layout of their
    // blocks.
    bool understood() const;
    const BlockLayout &layout() const { return layout_; }

private:
    struct Staged {
        const char *at = nullptr; // the block, or the payload with its segments
        std::size_t bytes = 0;    // if larger than T, the block is not here but goes direct
        const std::vector<PayloadSegment> *payload_segments = nullptr; // null: in one segment
        bool deduplicated = false; // may share bytes with other blocks of its message
        bool lost = false;         // a message that should have brought it was not understood
    };
    // State of a message that is being received.
    struct Arrival {
        bool in_rest = false;   // its payload was longer than E
        bool understood = true; // no fault found
    };

    void take_first(const Event &event) override;
    void take_following(std::uint32_t receive, const Event &event) override;
    void deliver(std::uint32_t receive) override;

    std::size_t prefix(const Program::Item &item) const;
    std::size_t room(const Program::Item &item) const;
    const char *read_header(std::uint32_t receive, std::size_t bytes, Header &header);
    void reject(std::uint32_t receive, const char *fault, const Header &got, std::size_t bytes);
    void forget(std::uint32_t receive);
    void pass_on(std::uint32_t receive, const Header &header);
    void post_rest(std::uint32_t receive, std::size_t payload);
    bool comes_in_place(std::uint32_t slice) const;
    void post_unpacked(std::uint32_t slice);
    std::size_t following_bytes(std::uint32_t slice) const;
    std::size_t block_bytes(const Slice &slice) const;
    std::size_t packed_bytes(const Slice &slice, std::size_t block) const;
    Staged &held(const Slice &slice);
    const Staged &pack_whole(std::uint32_t send_block);
    void append_payload(const Slice &slice, std::size_t bytes, char *to);
    void send_unpacked(std::uint32_t slice);

    // In headered_delivery.cc: from messages to staging and receive slots.
    bool fits(std::uint32_t slot, std::size_t bytes) const;
    void put_together(std::uint32_t receive, std::uint32_t slice, const Staged &from);
    void deliver_block(const Program::Item &item, std::uint32_t slot, const Staged &from);
    void refuse(const Program::Item &item, std::uint32_t slot, std::size_t bytes);

    // In headered_sharing.cc: messages in which shared bytes appear once.
    bool deduplicate(std::uint32_t send);
    bool worth_looking(const Program::Item &item, bool &needed);
    void add_to_payload(const Slice &slice, std::size_t bytes);
    std::size_t read_table(std::uint32_t receive, const char *table);
    void copy_out(const Staged &from, const UserBlock &block);

    bool learns_;
    BlockLayout layout_; // of combined messages, from their headers
    SharedBytes shared_bytes_;
    DeduplicatedPayload deduplicated_payload_; // of the message that is being sent
    std::vector<std::vector<char>> parted_;    // its blocks that were assembled from parts
    std::vector<char> scratch_;                // a block assembled to be unpacked
    std::vector<Staged> staged_;
    std::vector<Staged> received_;  // by receive slot: blocks that must be contiguous
    std::vector<Staged> packed_;    // by send block: blocks that are divided or copied to staging
    std::vector<Arrival> arrivals_; // by receive
    // Blocks that come in parts, or have to be packed before parts of them can be sent.
    std::vector<std::vector<char>> staged_wholes_, received_wholes_, packed_wholes_;
    std::vector<std::vector<char>> send_buffers_;
    std::vector<std::vector<char>> receive_buffers_;
    std::vector<std::vector<char>> rest_buffers_;
    std::vector<std::vector<char>> unpacked_buffers_; // by slice, of unpacked blocks
};

} // namespace nbrhood
