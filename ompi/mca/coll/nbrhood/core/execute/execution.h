// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The operation of a plan that is in progress: state that the parts of the plan share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "execute/program.h"
#include "execute/transport.h"
#include "execute/wire.h"

namespace nbrhood {

// The completion of a message of a plan.
struct Event {
    Token::Kind kind;
    std::uint32_t index;
    int error;
    std::size_t bytes;
};

// Blocks, tags, messages in flight and errors of one operation at a time, of one rank.
class Execution {
public:
    // Throws std::bad_alloc.
    Execution(AnyPlan &plan, std::shared_ptr<const Program> program, const WireSettings &wire,
              Transport &transport);
    Execution(const Execution &) = delete;
    Execution &operator=(const Execution &) = delete;

    const Program &program() const { return *program_; }
    const WireSettings &wire() const { return wire_; }
    Transport &transport() { return transport_; }

    // The application's blocks, one for each block of the send buffer and each receive slot.
    std::vector<UserBlock> send_blocks;
    std::vector<UserBlock> receive_blocks;

    // ---- How a block travels, by its size in bytes (docs/wire.md) ----

    bool combines(std::size_t bytes) const { return bytes <= wire_.combining_threshold; }
    bool unpacked(std::size_t bytes) const
    {
        return combines(bytes) && bytes > wire_.packing_threshold;
    }
    std::size_t packed(std::size_t bytes) const
    {
        return combines(bytes) && !unpacked(bytes) ? bytes : 0;
    }

    // Whether a block of the send buffer, or of a receive slot, travels in combined messages.
    bool sends_combined(std::uint32_t block) const { return combines(send_blocks[block].bytes); }
    bool receives_combined(std::uint32_t slot) const
    {
        return combines(receive_blocks[slot].bytes);
    }

    // ---- The operation ----

    // Begins an operation: no message is in flight, and no error has occurred.
    void begin(int tag_base, std::uint32_t sequence);
    int tag(const Program::Item &item, bool follows) const
    {
        return tag_base_ + item.phase + (follows ? kPhases : 0);
    }
    std::uint32_t sequence() const { return sequence_; }

    // ---- Errors ----

    int error() const { return error_; }          // the first of this operation
    const Failure &lost() const { return lost_; } // the first that loses blocks of others
    void record(int error);
    // As record(), for an error after which blocks that this rank should pass on are missing; from
    // here on its combined messages say so. at, with: the rank that met the error, and the rank
    // whose message it was.
    void lose(int error, Rank at, Rank with);
    void lose(int error, Rank peer) { lose(error, program_->rank(), peer); }

    // ---- Messages ----

    // The token of a message: of the first message or the rest of send or receive number `index`,
    // or of the slice of that number that travels on its own. There are only first messages if the
    // program is one message for each edge.
    Token &token(Token::Kind kind, std::uint32_t index);

    // Each gives a message to the transport. If the transport cannot start it, an event says so.
    void send_bytes(const void *from, std::size_t bytes, const Program::Item &item, bool follows,
                    Token &token);
    void receive_bytes(void *to, std::size_t bytes, const Program::Item &item, bool follows,
                       Token &token);
    void send_block(const UserBlock &block, const Program::Item &item, bool follows, Token &token);
    void receive_block(const UserBlock &block, const Program::Item &item, bool follows,
                       Token &token);

    // Counts the events that the operation waits for: messages sent, and receives with all their
    // messages.
    void expect() { ++pending_; }
    void done() { --pending_; }
    bool finished() const { return pending_ == 0; }

    // Completed messages that are not handled yet, in their order.
    std::vector<Event> &events() { return events_; }

    // ---- Large blocks whose two ends disagree on their size ----

    // The block of a slot came in a combined message although this rank's own count says that it is
    // too large for that, or the reverse. Cancels the direct receive that was posted for it, or
    // receives the direct message of its sender, so that neither waits.
    void resolve_dispute(std::uint32_t slot, bool was_combined);
    bool disputed(std::uint32_t receive) const { return disputed_[receive] != 0; }

private:
    void post(int started, Token &token);

    std::shared_ptr<const Program> program_;
    WireSettings wire_;
    Transport &transport_;
    // Sends, receives; if blocks are combined, also rests of sends, rests of receives, slices.
    std::vector<Token> tokens_;
    std::vector<Event> events_;
    std::vector<char> disputed_; // by receive
    int tag_base_ = 0;
    std::uint32_t sequence_ = 0;
    int error_ = 0;
    Failure lost_;
    std::size_t pending_ = 0;
};

} // namespace nbrhood
