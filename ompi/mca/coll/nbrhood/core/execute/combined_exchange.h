// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Sending and receiving messages of several blocks, or of parts of blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "execute/execution.h"

namespace nbrhood {

// Combined messages in one of two forms, with headers or, if all sizes are known, without; and
// direct messages that travel as bytes. A combined message may consist of several messages: the
// first, the rest of a long payload, and unpacked blocks.
class CombinedExchange {
public:
    virtual ~CombinedExchange() = default;
    CombinedExchange(const CombinedExchange &) = delete;
    CombinedExchange &operator=(const CombinedExchange &) = delete;

    // Begins an operation, before any message is posted: copies from the send buffer to staging.
    virtual void begin() = 0;
    // Posts those messages of a receive that are known in advance.
    virtual void post(std::uint32_t receive) = 0;
    // Starts a send whose blocks are all here.
    virtual void launch(std::uint32_t send) = 0;
    // Handles one of the messages of a receive. Returns true for the last one; then all blocks are
    // in their places.
    bool take(const Event &event);
    // Makes a delivery, whose last missing block came with this receive.
    virtual void deliver_late(std::uint32_t delivery, std::uint32_t receive) = 0;
    // Bytes of buffers held.
    virtual std::size_t memory() const = 0;

protected:
    explicit CombinedExchange(Execution &execution)
        : execution_(execution), program_(execution.program()),
          missing_(program_.receives().size(), 0)
    {}

    // Handle the messages of a receive: the first one; each that follows, whose length is known;
    // and the end of all of them.
    virtual void take_first(const Event &event) = 0;
    virtual void take_following(std::uint32_t receive, const Event &event) = 0;
    virtual void deliver(std::uint32_t receive) = 0;

    // Sends or receives a block on its own, in plain memory or, if `block` is not null, a block of
    // the application.
    void send_alone(std::uint32_t slice, const void *from, const UserBlock *block,
                    std::size_t bytes);
    void receive_alone(std::uint32_t slice, void *to, const UserBlock *block, std::size_t bytes);

    // The header of a message of this operation, in the fields that both ends know.
    Header expected_header(const Program::Item &item) const;
    // Tells the user that a message is not the expected one. bytes: its expected length, if known.
    void tell_mismatch(const Program::Item &item, const char *fault, const Header &got,
                       std::size_t bytes);

    Execution &execution_;
    const Program &program_;
    std::vector<std::uint32_t> missing_; // by receive: the number of missing messages
};

} // namespace nbrhood
