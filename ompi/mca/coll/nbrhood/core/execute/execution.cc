// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/execution.h"

namespace nbrhood {

Execution::Execution(AnyPlan &plan, std::shared_ptr<const Program> program,
                     const WireSettings &wire, Transport &transport)
    : program_(std::move(program)), wire_(wire), transport_(transport),
      disputed_(program_->receives().size(), 0)
{
    const std::size_t sends = program_->sends().size();
    const std::size_t receives = program_->receives().size();
    const bool combines = !program_->one_message_per_edge(); // otherwise each message is one block
    tokens_.resize(combines ? 2 * (sends + receives) + program_->slices().size()
                            : sends + receives);
    events_.reserve(tokens_.size()); // each token completes once in an operation
    const auto set = [&](Token::Kind kind, std::size_t index) {
        Token &own = token(kind, static_cast<std::uint32_t>(index));
        own.plan = &plan;
        own.kind = kind;
        own.index = static_cast<std::uint32_t>(index);
    };
    const auto set_more = [&](Token::Kind rest, Token::Kind unpacked, std::size_t index,
                              const Program::Item &item) {
        set(rest, index);
        for (std::size_t i = 0; i < item.slice_count; ++i) {
            set(unpacked, item.first_slice + i);
        }
    };
    for (std::size_t i = 0; i < sends; ++i) {
        set(Token::send, i);
        if (combines) {
            set_more(Token::send_rest, Token::send_unpacked, i, program_->sends()[i]);
        }
    }
    for (std::size_t i = 0; i < receives; ++i) {
        set(Token::receive, i);
        if (combines) {
            set_more(Token::receive_rest, Token::receive_unpacked, i, program_->receives()[i]);
        }
    }
}

Token &Execution::token(Token::Kind kind, std::uint32_t index)
{
    const std::size_t sends = program_->sends().size();
    const std::size_t receives = program_->receives().size();
    switch (kind) {
    case Token::send:
        return tokens_[index];
    case Token::receive:
        return tokens_[sends + index];
    case Token::send_rest:
        return tokens_[sends + receives + index];
    case Token::receive_rest:
        return tokens_[sends + receives + sends + index];
    case Token::send_unpacked:
    case Token::receive_unpacked:
        break;
    }
    return tokens_[2 * (sends + receives) + index];
}

void Execution::begin(int tag_base, std::uint32_t sequence)
{
    tag_base_ = tag_base;
    sequence_ = sequence;
    error_ = 0;
    lost_ = Failure{};
    pending_ = 0;
}

void Execution::record(int error)
{
    if (error != 0 && error_ == 0) {
        error_ = error;
    }
}

void Execution::lose(int error, Rank at, Rank with)
{
    record(error);
    if (error != 0 && lost_.error == 0) {
        lost_ = Failure{error, at, with};
    }
}

void Execution::post(int started, Token &token)
{
    if (started != 0) {
        token.request = nullptr;
        events_.push_back(Event{token.kind, token.index, started, 0});
    }
}

void Execution::send_bytes(const void *from, std::size_t bytes, const Program::Item &item,
                           bool follows, Token &token)
{
    expect();
    post(transport_.send_bytes(from, bytes, item.peer, tag(item, follows), token), token);
}

void Execution::receive_bytes(void *to, std::size_t bytes, const Program::Item &item, bool follows,
                              Token &token)
{
    post(transport_.receive_bytes(to, bytes, item.peer, tag(item, follows), token), token);
}

void Execution::send_block(const UserBlock &block, const Program::Item &item, bool follows,
                           Token &token)
{
    expect();
    post(transport_.send_block(block, item.peer, tag(item, follows), token), token);
}

void Execution::receive_block(const UserBlock &block, const Program::Item &item, bool follows,
                              Token &token)
{
    post(transport_.receive_block(block, item.peer, tag(item, follows), token), token);
}

void Execution::resolve_dispute(std::uint32_t slot, bool was_combined)
{
    for (std::uint32_t i = 0; i < program_->receives().size(); ++i) {
        const Program::Item &direct = program_->receives()[i];
        if (direct.carry != Carry::direct_if_large
            || program_->slices()[direct.first_slice].block != slot) {
            continue;
        }
        disputed_[i] = 1;
        if (was_combined) {
            transport_.cancel(token(Token::receive, i));
        } else {
            expect();
            receive_block(receive_blocks[slot], direct, false, token(Token::receive, i));
        }
    }
}

} // namespace nbrhood
