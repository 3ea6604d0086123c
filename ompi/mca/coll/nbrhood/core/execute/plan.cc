// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/plan.h"

#include <algorithm>
#include <new>
#include <numeric>

namespace nbrhood {

Plan::Plan(std::shared_ptr<const Program> program, const WireSettings &wire, Transport &transport,
           Sizes sizes)
    : execution_(*this, std::move(program), wire, transport), program_(execution_.program()),
      sizes_(program_.relays() ? sizes : Sizes::told), waiting_(program_.sends().size(), 0),
      late_waiting_(program_.deliveries().size(), 0)
{
    list_messages([](const Program::Item &, std::uint32_t, bool) { return true; });
    if (program_.relays() && sizes_ != Sizes::known) {
        headered_ = std::make_unique<HeaderedExchange>(execution_, sizes_ == Sizes::learnt);
        combined_ = headered_.get();
    }
    if (program_.has_bytes()) {
        direct_ = std::make_unique<HeaderlessExchange>(execution_, Carry::direct);
    }
}

void Plan::find_shared(const std::int64_t *indices)
{
    if (headered_ != nullptr) {
        headered_->find_shared(indices);
    }
}

// ---- Sizes ----

// By the size of its block.
bool Plan::takes_place(const Program::Item &item, bool is_send) const
{
    if (item.carry != Carry::direct_if_large && item.carry != Carry::direct_if_small) {
        return true;
    }
    const Slice &slice = program_.slices()[item.first_slice];
    const bool small = is_send && slice.space == Space::send
                           ? execution_.sends_combined(slice.block)
                           : execution_.receives_combined(slice.block);
    return small == (item.carry == Carry::direct_if_small);
}

// Lists the messages of which takes_place(item, number, is_send) is true, in their order.
template <typename TakesPlace>
void Plan::list_messages(const TakesPlace &takes_place)
{
    const auto list = [&](const std::vector<Program::Item> &items, bool is_send,
                          std::vector<std::uint32_t> &to) {
        to.clear();
        for (std::uint32_t i = 0; i < items.size(); ++i) {
            if (takes_place(items[i], i, is_send)) {
                to.push_back(i);
            }
        }
    };
    list(program_.receives(), false, receives_);
    list(program_.sends(), true, sends_);
}

void Plan::bind(const BlockLayout &blocks, bool in_place)
{
    if (headerless_ == nullptr) {
        headerless_ = std::make_unique<HeaderlessExchange>(execution_, Carry::combined);
        combined_ = headerless_.get();
    }
    headerless_->bind(blocks, in_place);
    bound_ = true;
}

// After the first start of a persistent request. From here on no rank sends headers, so a rank that
// did not learn its sizes cannot take part any more.
void Plan::bind_learnt()
{
    if (!headered_->understood()) {
        learning_error_ = execution_.error();
        return;
    }
    try {
        size_error_ = execution_.error();
        bind(headered_->layout(), size_error_ == 0);
        // If the two ends disagree on how a block travels, this rank now believes its sender.
        list_messages([&](const Program::Item &item, std::uint32_t number, bool is_send) {
            return takes_place(item, is_send) != (!is_send && execution_.disputed(number));
        });
        if (keeps_layout_) {
            learnt_ = std::make_unique<BlockLayout>(headered_->layout());
        }
        headered_.reset();
    } catch (const std::bad_alloc &) {
        learning_error_ = execution_.transport().out_of_memory();
        execution_.record(learning_error_);
    }
}

// If all blocks have one size, this rank's own counts say which.
void Plan::bind_known()
{
    const UserBlock *sent = program_.sent_block() != Program::kNone
                                ? &execution_.send_blocks[program_.sent_block()]
                                : nullptr;
    const UserBlock *received = program_.received_slot() != Program::kNone
                                    ? &execution_.receive_blocks[program_.received_slot()]
                                    : nullptr;
    const std::size_t bytes = received != nullptr ? received->bytes
                              : sent != nullptr   ? sent->bytes
                                                  : 0;
    size_error_ = 0;
    sends_empty_ = sent != nullptr && sent->bytes != bytes;
    if (sends_empty_) {
        size_error_ =
            execution_.transport().truncated(program_.rank(), program_.rank(), sent->bytes, bytes);
    }
    const bool combined = execution_.combines(bytes) && bytes != 0;
    BlockLayout blocks(program_);
    std::fill(blocks.sizes.begin(), blocks.sizes.end(), combined ? bytes : 0);
    bind(blocks, size_error_ == 0);
    const bool large = !execution_.combines(bytes);
    list_messages([&](const Program::Item &item, std::uint32_t /*number*/, bool /*is_send*/) {
        return item.carry == Carry::direct
               || (item.carry == Carry::direct_if_large   ? large
                   : item.carry == Carry::direct_if_small ? !large
                                                          : combined);
    });
}

// Both ends of a direct message take its sizes from their own blocks.
void Plan::bind_direct()
{
    BlockLayout blocks(program_);
    for (const auto *items : {&program_.sends(), &program_.receives()}) {
        for (const Program::Item &item : *items) {
            for (std::uint32_t i = 0; item.in_bytes && i < item.slice_count; ++i) {
                const Slice &slice = program_.slices()[item.first_slice + i];
                blocks.sizes[item.first_slice + i] =
                    (slice.space == Space::send ? execution_.send_blocks
                                                : execution_.receive_blocks)[slice.block]
                        .bytes;
            }
        }
    }
    direct_->bind(blocks, true);
    direct_bound_ = true;
}

void Plan::move(std::ptrdiff_t send, std::ptrdiff_t receive)
{
    if (send == 0 && receive == 0) {
        return;
    }
    const auto shift = [](std::vector<UserBlock> &blocks, std::ptrdiff_t bytes) {
        for (UserBlock &block : blocks) {
            block.address = moved(static_cast<char *>(block.address), bytes);
            block.data = moved(block.data, bytes);
        }
    };
    shift(execution_.send_blocks, send);
    shift(execution_.receive_blocks, receive);
    if (bound_) {
        headerless_->move(send, receive);
    }
    if (direct_bound_) {
        direct_->move(send, receive);
    }
}

// ---- An operation ----

void Plan::start(int tag_base, std::uint32_t sequence)
{
    if (learning_error_ != 0) {
        execution_.transport().finished(*this, learning_error_);
        return;
    }
    if (sizes_ == Sizes::known && !bound_) {
        bind_known();
    }
    if (learnt_ != nullptr && !bound_) {
        bind(*learnt_, size_error_ == 0);
    }
    if (direct_ != nullptr && !direct_bound_) {
        bind_direct();
    }
    execution_.begin(tag_base, sequence);
    execution_.record(size_error_);
    if (sends_empty_) {
        execution_.lose(size_error_, program_.rank());
    }
    execution_.expect(); // this call, so that nothing finishes before all messages are posted
    draining_ = true;
    if (sizes_ != Sizes::learnt && headered_ != nullptr) {
        headered_->find_shared(nullptr);
    }
    for (std::uint32_t i = 0; i < waiting_.size(); ++i) {
        const Program::Item &send = program_.sends()[i];
        // A send that does not take place depends on nothing but its turn.
        waiting_[i] = !send.in_bytes || takes_place(send, true) ? send.waits_for
                      : send.in_order                           ? 1
                                                                : 0;
    }
    for (std::uint32_t i = 0; i < late_waiting_.size(); ++i) {
        late_waiting_[i] = program_.deliveries()[i].waits_for;
    }
    run_copies(true);
    for (CombinedExchange *exchange : {combined_, static_cast<CombinedExchange *>(direct_.get())}) {
        if (exchange != nullptr) {
            exchange->begin();
        }
    }
    for (const std::uint32_t receive : receives_) {
        post_receive(receive);
    }
    for (const std::uint32_t send : sends_) {
        if (waiting_[send] == 0 && !program_.sends()[send].in_order) {
            launch_send(send);
        }
    }
    run_copies(false);
    execution_.done();
    drain();
}

// Copies of self edges: blocks that this rank also sends to others are copied before the first
// send, the other blocks afterwards.
void Plan::run_copies(bool sent_on)
{
    for (const auto &[from, to] : program_.copies()) {
        if (program_.together(to.block) != sent_on) {
            continue;
        }
        execution_.record(execution_.transport().copy_block(execution_.send_blocks[from.block],
                                                            execution_.receive_blocks[to.block]));
    }
}

// The exchange that sends and receives a message, or null if the message is a block of the
// application.
CombinedExchange *Plan::exchange_of(const Program::Item &item) const
{
    return item.carry == Carry::combined ? combined_ : item.in_bytes ? direct_.get() : nullptr;
}

void Plan::post_receive(std::uint32_t receive)
{
    const Program::Item &item = program_.receives()[receive];
    if (!bound_ && !takes_place(item, false)) {
        return;
    } else if (CombinedExchange *exchange = exchange_of(item)) {
        execution_.expect();
        exchange->post(receive);
    } else {
        execution_.expect();
        execution_.receive_block(
            execution_.receive_blocks[program_.slices()[item.first_slice].block], item, false,
            execution_.token(Token::receive, receive));
    }
}

// Starts a send whose turn has come, and the sends after it that waited only for their turn.
void Plan::launch_send(std::uint32_t send)
{
    send_message(send);
    std::uint32_t next = program_.sends()[send].next_in_order;
    while (next != Program::kNone && --waiting_[next] == 0) {
        send_message(next);
        next = program_.sends()[next].next_in_order;
    }
}

void Plan::send_message(std::uint32_t send)
{
    const Program::Item &item = program_.sends()[send];
    if (!bound_ && !takes_place(item, true)) {
        return;
    }
    if (CombinedExchange *exchange = exchange_of(item)) {
        exchange->launch(send);
    } else {
        execution_.send_block(execution_.send_blocks[program_.slices()[item.first_slice].block],
                              item, false, execution_.token(Token::send, send));
    }
}

void Plan::completed(Token &token, int error, std::size_t bytes)
{
    token.request = nullptr;
    if (program_.one_message_per_edge()) { // only the end of the operation waits for it
        execution_.record(error);
        execution_.done();
        if (!draining_ && execution_.finished()) {
            execution_.transport().finished(*this, execution_.error());
        }
        return;
    }
    execution_.events().push_back(Event{token.kind, token.index, error, bytes});
    if (!draining_) {
        draining_ = true;
        drain();
    }
}

// Handles events, also those that arise meanwhile, and finishes the plan after the last one.
void Plan::drain()
{
    std::vector<Event> &events = execution_.events();
    for (std::size_t next = 0; next < events.size(); ++next) {
        const Event event = events[next];
        handle(event);
    }
    events.clear();
    draining_ = false;
    if (execution_.finished()) {
        if (sizes_ == Sizes::learnt && headered_ != nullptr) {
            bind_learnt();
        }
        execution_.transport().finished(*this, execution_.error());
    }
}

void Plan::handle(const Event &event)
{
    execution_.record(event.error);
    switch (event.kind) {
    case Token::send:
    case Token::send_rest:
    case Token::send_unpacked:
        execution_.done();
        break;
    case Token::receive:
    case Token::receive_rest:
    case Token::receive_unpacked: {
        const std::uint32_t receive =
            event.kind == Token::receive_unpacked ? program_.owner(event.index) : event.index;
        CombinedExchange *exchange = exchange_of(program_.receives()[receive]);
        if (exchange == nullptr) {
            execution_.done();
        } else if (exchange->take(event)) {
            received(receive);
        }
        break;
    }
    }
}

// A message is complete: starts sends and makes deliveries that waited for it.
void Plan::received(std::uint32_t receive)
{
    const Program::Item &item = program_.receives()[receive];
    for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
        const std::uint32_t delivery = program_.delivery_feeds()[item.first_delivery + i];
        if (--late_waiting_[delivery] == 0) {
            deliver_late(delivery, receive);
        }
    }
    for (std::uint32_t i = 0; i < item.feed_count; ++i) {
        const std::uint32_t send = program_.feeds()[item.first_feed + i];
        if (--waiting_[send] == 0) {
            launch_send(send);
        }
    }
    execution_.done();
}

void Plan::deliver_late(std::uint32_t delivery, std::uint32_t receive)
{
    CombinedExchange *exchange = program_.deliveries()[delivery].carry == Carry::combined
                                     ? combined_
                                     : static_cast<CombinedExchange *>(direct_.get());
    exchange->deliver_late(delivery, receive);
}

std::size_t Plan::memory() const
{
    return (headered_ != nullptr ? headered_->memory() : 0)
           + (headerless_ != nullptr ? headerless_->memory() : 0)
           + (direct_ != nullptr ? direct_->memory() : 0);
}

} // namespace nbrhood
