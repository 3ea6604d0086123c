// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/combined_exchange.h"

namespace nbrhood {

bool CombinedExchange::take(const Event &event)
{
    std::uint32_t receive = event.index;
    if (event.kind == Token::receive) {
        execution_.lose(event.error, program_.receives()[receive].peer);
        take_first(event);
    } else {
        receive = event.kind == Token::receive_unpacked ? program_.owner(event.index) : event.index;
        execution_.lose(event.error, program_.receives()[receive].peer);
        take_following(receive, event);
    }
    if (--missing_[receive] != 0) {
        return false;
    }
    deliver(receive);
    return true;
}

void CombinedExchange::send_alone(std::uint32_t slice, const void *from, const UserBlock *block,
                                  std::size_t bytes)
{
    const Program::Item &item = program_.sends()[program_.owner(slice)];
    Token &token = execution_.token(Token::send_unpacked, slice);
    if (block != nullptr && block->data == nullptr && bytes != 0) {
        execution_.send_block(*block, item, true, token);
    } else {
        execution_.send_bytes(block != nullptr ? block->data : from, bytes, item, true, token);
    }
}

void CombinedExchange::receive_alone(std::uint32_t slice, void *to, const UserBlock *block,
                                     std::size_t bytes)
{
    const std::uint32_t receive = program_.owner(slice);
    const Program::Item &item = program_.receives()[receive];
    Token &token = execution_.token(Token::receive_unpacked, slice);
    ++missing_[receive];
    if (block != nullptr && block->data == nullptr) {
        execution_.receive_block(*block, item, true, token);
    } else {
        execution_.receive_bytes(block != nullptr ? block->data : to, bytes, item, true, token);
    }
}

Header CombinedExchange::expected_header(const Program::Item &item) const
{
    Header header;
    header.pattern = execution_.wire().pattern;
    header.sequence = execution_.sequence();
    header.blocks = item.slice_count;
    header.phase = item.phase;
    return header;
}

void CombinedExchange::tell_mismatch(const Program::Item &item, const char *fault,
                                     const Header &got, std::size_t bytes)
{
    if (execution_.error() == 0) {
        Header wanted = expected_header(item);
        wanted.payload = bytes;
        execution_.record(execution_.transport().mismatch(item.peer, fault, got, wanted));
    }
    execution_.lose(execution_.error(), item.peer);
}

} // namespace nbrhood
