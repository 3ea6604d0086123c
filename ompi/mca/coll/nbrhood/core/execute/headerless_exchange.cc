// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/headerless_exchange.h"

#include <cstring>
#include <limits>

namespace nbrhood {

void HeaderlessExchange::bind(const BlockLayout &blocks, bool in_place)
{
    sizes_ = blocks.sizes;
    // Direct messages are never divided.
    const std::size_t packing_threshold = carry_ == Carry::combined
                                              ? execution_.wire().packing_threshold
                                              : std::numeric_limits<std::size_t>::max();
    layout_.bind(
        program_, carry_, blocks, packing_threshold, execution_.transport(),
        HeaderlessLayout::Blocks{execution_.send_blocks, execution_.receive_blocks, in_place});
}

void HeaderlessExchange::begin()
{
    gather(layout_.first_copies());
}

// Copies blocks into messages, unless the blocks are missing.
void HeaderlessExchange::gather(const std::vector<HeaderlessLayout::Copy> &copies)
{
    for (const HeaderlessLayout::Copy &copy : copies) {
        if (execution_.lost().error != 0) {
            break;
        }
        if (copy.place != nullptr) {
            std::memcpy(copy.message, copy.place, copy.bytes);
        } else {
            execution_.lose(execution_.transport().pack(*copy.block, copy.message),
                            program_.rank());
        }
    }
}

// Copies blocks out of messages. After any error nothing is copied to the application; blocks that
// are only passed on are copied unless they are missing.
void HeaderlessExchange::scatter(const std::vector<HeaderlessLayout::Copy> &copies)
{
    for (const HeaderlessLayout::Copy &copy : copies) {
        if ((copy.space == Space::staging ? execution_.lost().error : execution_.error()) != 0) {
            continue;
        }
        if (copy.place != nullptr) {
            std::memcpy(copy.place, copy.message, copy.bytes);
        } else {
            execution_.record(execution_.transport().unpack(copy.message, copy.bytes, *copy.block));
        }
    }
}

void HeaderlessExchange::post(std::uint32_t receive)
{
    const Program::Item &item = program_.receives()[receive];
    const HeaderlessLayout::Placement &placement = layout_.receive(receive);
    missing_[receive] = 1;
    for (const HeaderlessLayout::Unpacked &part : placement.unpacked) {
        receive_alone(part.slice, part.place, part.block, part.bytes);
    }
    if (placement.bytes == 0 && carry_ == Carry::combined) { // is not sent
        execution_.events().push_back(Event{Token::receive, receive, 0, 0});
    } else {
        execution_.receive_bytes(placement.at, placement.bytes, item, false,
                                 execution_.token(Token::receive, receive));
    }
}

// As there is no header, an empty message tells the receiver that this rank lacks the blocks.
void HeaderlessExchange::launch(std::uint32_t send)
{
    const Program::Item &item = program_.sends()[send];
    const HeaderlessLayout::Placement &placement = layout_.send(send);
    gather(placement.copies);
    const bool failed = execution_.lost().error != 0;
    if (placement.bytes != 0 || carry_ == Carry::direct) {
        execution_.send_bytes(placement.at, failed ? 0 : placement.bytes, item, false,
                              execution_.token(Token::send, send));
    }
    for (const HeaderlessLayout::Unpacked &part : placement.unpacked) {
        send_alone(part.slice, part.place, part.block, failed ? 0 : part.bytes);
    }
}

void HeaderlessExchange::take_first(const Event &event)
{
    check(event.index, event, layout_.receive(event.index).bytes);
}

void HeaderlessExchange::take_following(std::uint32_t receive, const Event &event)
{
    check(receive, event, program_.slices()[event.index].size(sizes_[event.index]));
}

// Checks the length of a message; an empty one says that its sender failed.
void HeaderlessExchange::check(std::uint32_t receive, const Event &event, std::size_t bytes)
{
    const Program::Item &item = program_.receives()[receive];
    if (execution_.error() != 0 || event.bytes == bytes) {
        return;
    }
    if (event.bytes == 0) {
        execution_.lose(
            execution_.transport().failed_before(item.peer, Failure{}, program_.only_relayed(item)),
            item.peer);
    } else {
        Header got = expected_header(item);
        got.payload = event.bytes;
        tell_mismatch(item, "it is not as long as its blocks are here", got, bytes);
    }
}

void HeaderlessExchange::deliver(std::uint32_t receive)
{
    scatter(layout_.receive(receive).copies);
}

void HeaderlessExchange::deliver_late(std::uint32_t delivery, std::uint32_t /*receive*/)
{
    scatter(layout_.delivery(delivery));
}

} // namespace nbrhood
