// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How messages of several blocks, or of parts of blocks, are sent and taken in.
#pragma once

#include <cstdint>
#include <vector>

#include "execute/execution.h"

namespace nbrhood {

// Combined messages in one of two forms: behind headers, or, where all sizes are known, without;
// and direct messages that are not simply blocks of the application. A combined message may be
// several: its first, the rest of a long one, and blocks that travel on their own.
class CombinedExchange {
public:
    virtual ~CombinedExchange() = default;
    CombinedExchange(const CombinedExchange &) = delete;
    CombinedExchange &operator=(const CombinedExchange &) = delete;

    // An operation begins, before anything is posted: copies from the send buffer to staging.
    virtual void begin() = 0;
    // Posts the messages of a receive as far as they are known.
    virtual void post(std::uint32_t receive) = 0;
    // Sends one whose blocks are all here.
    virtual void launch(std::uint32_t send) = 0;
    // One of the messages of a receive is here. Returns true with the last one, when all blocks are
    // where they belong.
    bool take(const Event &event);
    // All that a delivery waits for is here, the last of it with this receive.
    virtual void deliver_late(std::uint32_t delivery, std::uint32_t receive) = 0;
    // Bytes of buffers held.
    virtual std::size_t memory() const = 0;

protected:
    explicit CombinedExchange(Execution &execution)
        : execution_(execution), program_(execution.program()),
          missing_(program_.receives().size(), 0)
    {}

    // The first message of a receive is here, or one that follows it (with the bytes it has to
    // have); all of them are.
    virtual void take_first(const Event &event) = 0;
    virtual void take_following(std::uint32_t receive, const Event &event) = 0;
    virtual void deliver(std::uint32_t receive) = 0;

    // Sends or receives a block on its own: plain memory, or, where `block` is not null, a block of
    // the application.
    void send_alone(std::uint32_t slice, const void *from, const UserBlock *block,
                    std::size_t bytes);
    void receive_alone(std::uint32_t slice, void *to, const UserBlock *block, std::size_t bytes);

    // The header that a message of this operation has as far as both ends know it.
    Header expected_header(const Program::Item &item) const;
    // Tells the user that a message is not the one that was expected. bytes: that it has to have,
    // where they are known.
    void tell_mismatch(const Program::Item &item, const char *fault, const Header &got,
                       std::size_t bytes);

    Execution &execution_;
    const Program &program_;
    std::vector<std::uint32_t> missing_; // by receive: messages that are still to come
};

} // namespace nbrhood
