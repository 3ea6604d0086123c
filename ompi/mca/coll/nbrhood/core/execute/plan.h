// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A plan: a program bound to the blocks of one call, ready to start and to start again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "execute/headered_exchange.h"
#include "execute/headerless_exchange.h"

namespace nbrhood {

// How the ranks of an operation know the sizes of blocks that are not their own.
enum class Sizes : std::uint8_t {
    told,   // from headers, in every start
    learnt, // from headers, in the first start: persistent requests, whose counts never change
    known   // beforehand: all blocks of a component have one size (see Roles)
};

// One operation in flight at a time. Progress is driven by completions only: each completion counts
// down the sends and copies that wait for it, and starts those that became ready. A plan is not
// thread-safe; under MPI_THREAD_MULTIPLE the glue serialises the calls into it. Completions may
// arrive inside any call to the transport.
class Plan : public AnyPlan {
public:
    // Throws std::bad_alloc.
    Plan(std::shared_ptr<const Program> program, const WireSettings &wire, Transport &transport,
         Sizes sizes);

    // The application's blocks, one for each block of the send buffer and each receive slot; to be
    // filled before start(). After later changes call rebind() before the next start.
    std::vector<UserBlock> &send_blocks() { return execution_.send_blocks; }
    std::vector<UserBlock> &receive_blocks() { return execution_.receive_blocks; }
    const std::vector<UserBlock> &send_blocks() const { return execution_.send_blocks; }
    const std::vector<UserBlock> &receive_blocks() const { return execution_.receive_blocks; }
    // A plan that learns sizes can be rebound only if keep_layout() was called before its first
    // start.
    void rebind() { bound_ = direct_bound_ = false; }
    void keep_layout() { keeps_layout_ = true; }
    // In place of rebind() if the buffers only moved, by these distances, and nothing else changed.
    void move(std::ptrdiff_t send, std::ptrdiff_t receive);

    // For persistent requests, after the blocks are filled: finds bytes that send blocks share, so
    // that relays carry them once (Collom, Li, Bienz 2023, section 3.3). indices: see
    // SharedBytes::find. Plans with Sizes::told do this themselves in every start. With
    // Sizes::known the blocks are equal parts of one buffer, which share nothing. Throws
    // std::bad_alloc.
    void find_shared(const std::int64_t *indices);

    // Uses the tags tag_base..tag_base+kTagsPerOperation-1; `sequence` is equal on all ranks of a
    // component.
    void start(int tag_base, std::uint32_t sequence) override;
    void completed(Token &token, int error, std::size_t bytes) override;
    Transport &transport() override { return execution_.transport(); }
    std::size_t memory() const override;

private:
    bool takes_place(const Program::Item &item, bool is_send) const;
    void bind_learnt();
    void bind_known();
    void bind_direct();
    void bind(const BlockLayout &blocks, bool in_place);
    CombinedExchange *exchange_of(const Program::Item &item) const;
    template <typename TakesPlace>
    void list_messages(const TakesPlace &takes_place);
    void post_receive(std::uint32_t receive);
    void launch_send(std::uint32_t send);
    void send_message(std::uint32_t send);
    void run_copies(bool sent_on);
    void drain();
    void handle(const Event &event);
    void received(std::uint32_t receive);
    void deliver_late(std::uint32_t delivery, std::uint32_t receive);

    Execution execution_;
    const Program &program_;
    Sizes sizes_;
    std::unique_ptr<HeaderedExchange> headered_;     // until the sizes are known
    std::unique_ptr<HeaderlessExchange> headerless_; // afterwards
    CombinedExchange *combined_ = nullptr;           // the one in use; null: no message is combined
    std::unique_ptr<HeaderlessExchange> direct_; // direct messages in bytes; null: there are none
    // If sizes are known, only the messages that take place; otherwise all.
    std::vector<std::uint32_t> receives_;
    std::vector<std::uint32_t> sends_;
    std::vector<std::uint32_t> waiting_;      // by send: receives still to come
    std::vector<std::uint32_t> late_waiting_; // by delivery, likewise
    bool keeps_layout_ = false;
    std::unique_ptr<BlockLayout> learnt_; // null: not learnt, or not kept
    bool bound_ = false;                  // the headerless exchange is bound to the current blocks
    bool direct_bound_ = false;           // likewise for direct messages
    bool draining_ = false;
    // Errors of every start: the first start found sizes that do not fit, or this rank's own two
    // counts differ (size_error_); or the first start did not learn the sizes (learning_error_).
    int size_error_ = 0;
    bool sends_empty_ = false; // this rank's messages are empty
    int learning_error_ = 0;
};

} // namespace nbrhood
