// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// An allgather bound to the buffers of one call.
#pragma once

#include <memory>
#include <vector>

#include "allgather/program.h"
#include "execute/transport.h"

namespace nbrhood {

// The buffers of an allgather. Receive slots follow one another `stride` bytes apart, in the order
// of ranks.
struct AllgatherBuffers {
    UserBlock send;    // without an address if in_place
    UserBlock receive; // the first slot; `data` is set only if all slots together are plain memory
    std::ptrdiff_t stride = 0;
    bool in_place = false; // this rank's block is in its slot
};

// A Plan for allgathers. It needs no headers, since all ranks know the one size of all blocks, and
// one tag, since the messages of a pair have one order. Messages are received into and sent from an
// image of the result in the order of positions: the receive buffer itself if it is plain memory in
// this order, else memory of the plan.
class AllgatherPlan : public AnyPlan {
public:
    // Throws std::bad_alloc.
    AllgatherPlan(std::shared_ptr<const AllgatherProgram> program, Transport &transport);

    // To be filled before start().
    AllgatherBuffers buffers;

    void start(int tag, std::uint32_t sequence) override;
    void completed(Token &token, int error, std::size_t bytes) override;
    Transport &transport() override { return transport_; }
    std::size_t memory() const override { return image_.capacity() + packed_.capacity(); }

private:
    using Message = AllgatherProgram::Message;

    void place();
    void take_own();
    std::size_t bytes_of(const Message &message) const;
    char *at(Rank position) const;
    char *memory_of(const Message &message, std::size_t place);
    void post(std::uint32_t receive);
    void launch(std::uint32_t send);
    void count_down(std::uint32_t send);
    void started(int error, Token &token);
    void drain();
    void take(std::uint32_t receive, int error, std::size_t bytes);
    void deliver();
    void record(int error);
    UserBlock slot(Rank rank) const;

    struct Event {
        Token *token;
        int error;
        std::size_t bytes;
    };

    std::shared_ptr<const AllgatherProgram> program_;
    Transport &transport_;
    std::vector<Token> tokens_;          // of receives, then sends
    std::vector<std::size_t> packed_at_; // likewise: where it is packed, in blocks
    std::size_t packed_blocks_ = 0;
    std::vector<std::uint32_t> waiting_; // by send
    std::vector<Event> events_;          // completed messages that are not handled yet
    std::vector<char> image_;
    std::vector<char> packed_;
    char *result_ = nullptr; // the image
    int tag_ = 0;
    int error_ = 0;
    std::size_t pending_ = 0;
    bool draining_ = false;
};

} // namespace nbrhood
