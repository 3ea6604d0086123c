// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/plan.h"

#include <algorithm>
#include <cstring>

#include "execute/wire.h"

namespace nbrhood {

AllgatherPlan::AllgatherPlan(std::shared_ptr<const AllgatherProgram> program, Transport &transport)
    : program_(std::move(program)), transport_(transport),
      tokens_(program_->receives().size() + program_->sends().size()), packed_at_(tokens_.size()),
      waiting_(program_->sends().size())
{
    std::size_t number = 0;
    for (const auto *messages : {&program_->receives(), &program_->sends()}) {
        for (std::size_t i = 0; i < messages->size(); ++i, ++number) {
            tokens_[number].plan = this;
            tokens_[number].kind = messages == &program_->receives() ? Token::receive : Token::send;
            tokens_[number].index = static_cast<std::uint32_t>(i);
            packed_at_[number] = packed_blocks_;
            if ((*messages)[i].range_count > 1) {
                packed_blocks_ += static_cast<std::size_t>((*messages)[i].blocks);
            }
        }
    }
    events_.reserve(tokens_.size());
}

// ---- Memory ----

std::size_t AllgatherPlan::bytes_of(const Message &message) const
{
    return static_cast<std::size_t>(message.blocks) * buffers.receive.bytes;
}

char *AllgatherPlan::at(Rank position) const
{
    return result_ + static_cast<std::size_t>(position) * buffers.receive.bytes;
}

// Memory of a message; number: of its token.
char *AllgatherPlan::memory_of(const Message &message, std::size_t number)
{
    return message.range_count == 1 ? at(program_->ranges(message)->first)
                                    : packed_.data() + packed_at_[number] * buffers.receive.bytes;
}

UserBlock AllgatherPlan::slot(Rank rank) const
{
    UserBlock block = buffers.receive;
    block.address = moved(static_cast<char *>(block.address), rank * buffers.stride);
    block.data = moved(block.data, rank * buffers.stride);
    return block;
}

// Decides where the image is.
void AllgatherPlan::place()
{
    const std::size_t bytes = buffers.receive.bytes;
    const bool in_order = program_->rank_at().empty();
    if (buffers.receive.data != nullptr && in_order) {
        result_ = buffers.receive.data;
    } else {
        image_.resize(std::max(image_.size(), static_cast<std::size_t>(program_->ranks()) * bytes));
        result_ = image_.data();
    }
    packed_.resize(std::max(packed_.size(), packed_blocks_ * bytes));
}

// Copies this rank's block into the image.
void AllgatherPlan::take_own()
{
    char *const own = at(program_->own_position());
    const UserBlock from = buffers.in_place ? slot(program_->rank()) : buffers.send;
    if (from.data == nullptr) {
        record(transport_.pack(from, own));
    } else if (from.data != own) {
        std::memcpy(own, from.data, buffers.receive.bytes);
    }
}

// Copies the image into the receive buffer, except this rank's block if it is there already.
void AllgatherPlan::deliver()
{
    if (result_ == buffers.receive.data || error_ != 0) {
        return;
    }
    const std::vector<Rank> &rank_at = program_->rank_at();
    if (rank_at.empty() && !buffers.in_place) {
        UserBlock all = buffers.receive;
        const auto ranks = static_cast<std::size_t>(program_->ranks());
        all.count *= ranks;
        all.bytes *= ranks;
        record(transport_.unpack(result_, all.bytes, all));
        return;
    }
    for (Rank position = 0; position < program_->ranks(); ++position) {
        const Rank rank = rank_at.empty() ? position : rank_at[static_cast<std::size_t>(position)];
        if (buffers.in_place && position == program_->own_position()) {
            continue;
        }
        const UserBlock to = slot(rank);
        if (to.data != nullptr) {
            std::memcpy(to.data, at(position), to.bytes);
        } else {
            record(transport_.unpack(at(position), to.bytes, to));
        }
    }
}

// ---- An operation ----

void AllgatherPlan::record(int error)
{
    if (error != 0 && error_ == 0) {
        error_ = error;
    }
}

void AllgatherPlan::start(int tag, std::uint32_t /*sequence*/)
{
    tag_ = tag;
    error_ = 0;
    place();
    pending_ = 1; // this call: nothing finishes before everything is posted
    draining_ = true;
    // This rank's two sizes differ, so the others would expect another size than it sends.
    if (!buffers.in_place && buffers.send.bytes != buffers.receive.bytes) {
        record(transport_.truncated(program_->rank(), program_->rank(), buffers.send.bytes,
                                    buffers.receive.bytes));
    } else {
        take_own();
    }
    for (std::size_t s = 0; s < waiting_.size(); ++s) {
        waiting_[s] = program_->sends()[s].waits_for;
    }
    for (std::uint32_t r = 0; r < program_->receives().size(); ++r) {
        post(r);
    }
    for (std::uint32_t s = 0; s < waiting_.size(); ++s) {
        if (program_->sends()[s].waits_for == 0) {
            launch(s);
        }
    }
    --pending_;
    drain();
}

void AllgatherPlan::started(int error, Token &token)
{
    ++pending_;
    if (error != 0) {
        token.request = nullptr;
        events_.push_back(Event{&token, error, 0});
    }
}

void AllgatherPlan::post(std::uint32_t receive)
{
    const Message &message = program_->receives()[receive];
    Token &token = tokens_[receive];
    // Counted first, because the message may complete during the call.
    const int error = transport_.receive_bytes(memory_of(message, receive), bytes_of(message),
                                               message.peer, tag_, token);
    started(error, token);
}

// After an error blocks may be missing. Then the message is empty, which its receiver notices.
void AllgatherPlan::launch(std::uint32_t send)
{
    const Message &message = program_->sends()[send];
    const std::size_t number = program_->receives().size() + send;
    Token &token = tokens_[number];
    char *const from = memory_of(message, number);
    if (message.range_count > 1) {
        char *to = from;
        for (std::uint32_t i = 0; i < message.range_count; ++i) {
            const PositionRange range = program_->ranges(message)[i];
            const auto bytes = static_cast<std::size_t>(range.count) * buffers.receive.bytes;
            std::memcpy(to, at(range.first), bytes);
            to += bytes;
        }
    }
    const int error =
        transport_.send_bytes(from, error_ == 0 ? bytes_of(message) : 0, message.peer, tag_, token);
    started(error, token);
    if (message.next_to_peer != AllgatherProgram::kNone) {
        count_down(message.next_to_peer);
    }
}

void AllgatherPlan::count_down(std::uint32_t send)
{
    if (--waiting_[send] == 0) {
        launch(send);
    }
}

void AllgatherPlan::completed(Token &token, int error, std::size_t bytes)
{
    token.request = nullptr;
    events_.push_back(Event{&token, error, bytes});
    if (!draining_) {
        draining_ = true;
        drain();
    }
}

// Handles events, also those that arise meanwhile, and finishes after the last one.
void AllgatherPlan::drain()
{
    for (std::size_t next = 0; next < events_.size(); ++next) {
        const Event event = events_[next];
        if (event.token->kind == Token::send) {
            record(event.error);
        } else {
            take(event.token->index, event.error, event.bytes);
        }
        --pending_;
    }
    events_.clear();
    draining_ = false;
    if (pending_ == 0) {
        deliver();
        transport_.finished(*this, error_);
    }
}

void AllgatherPlan::take(std::uint32_t receive, int error, std::size_t bytes)
{
    const Message &message = program_->receives()[receive];
    const std::size_t expected = bytes_of(message);
    if (error != 0) {
        record(error);
    } else if (bytes == 0) {
        record(transport_.failed_before(message.peer, Failure{}, false));
    } else if (bytes != expected) {
        record(transport_.truncated(message.peer, message.peer, bytes, expected));
    }
    if (message.range_count > 1 && error_ == 0) {
        const char *from = memory_of(message, receive);
        for (std::uint32_t i = 0; i < message.range_count; ++i) {
            const PositionRange range = program_->ranges(message)[i];
            const auto size = static_cast<std::size_t>(range.count) * buffers.receive.bytes;
            std::memcpy(at(range.first), from, size);
            from += size;
        }
    }
    for (std::uint32_t i = 0; i < message.feed_count; ++i) {
        count_down(program_->feeds()[message.first_feed + i]);
    }
}

} // namespace nbrhood
