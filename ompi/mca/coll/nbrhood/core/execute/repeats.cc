// Later starts of a persistent plan: the sizes are known, so messages have no headers.
#include <cstring>

#include "execute/plan.h"

namespace nbrhood {

void Plan::post_settled(std::uint32_t index)
{
    const Program::Item &item = program_->receives()[index];
    const Settled::Placement &placement = settled_.receive(index);
    Token &token = tokens_[program_->sends().size() + index];
    missing_[index] = 1;
    for (const Settled::Loose &part : placement.loose) {
        receive_loose(part.slice, part.place, part.block, part.bytes);
    }
    if (placement.bytes == 0) { // is not sent
        completed(token, 0, 0);
    } else {
        post(transport_.receive_bytes(placement.at, placement.bytes, item.peer, tag(item, false),
                                      token),
             token);
    }
}

void Plan::launch_settled(std::uint32_t index)
{
    const Program::Item &item = program_->sends()[index];
    const Settled::Placement &placement = settled_.send(index);
    for (const Settled::Move &move : placement.moves) {
        if (move.place != nullptr) {
            std::memcpy(move.message, move.place, move.bytes);
        } else {
            record(transport_.pack(*move.block, move.message));
        }
    }
    // Without a header, an empty message tells that this rank's part failed.
    const bool failed = error_ != 0;
    if (placement.bytes != 0) {
        Token &token = tokens_[index];
        ++pending_;
        post(transport_.send_bytes(placement.at, failed ? 0 : placement.bytes, item.peer,
                                   tag(item, false), sequence_ % kRunAhead == kRunAhead - 1, token),
             token);
    }
    for (const Settled::Loose &part : placement.loose) {
        send_loose(part.slice, part.place, part.block, failed ? 0 : part.bytes);
    }
}

// A message of another length says that its sender failed.
void Plan::check_settled(std::uint32_t index, std::size_t bytes, std::size_t expected)
{
    if (error_ == 0 && bytes != expected) {
        record(transport_.truncated(program_->receives()[index].peer, bytes, expected));
    }
}

void Plan::receive_settled(std::uint32_t index)
{
    for (const Settled::Move &move : settled_.receive(index).moves) {
        if (error_ != 0) {
            break;
        }
        if (move.place != nullptr) {
            std::memcpy(move.place, move.message, move.bytes);
        } else {
            record(transport_.unpack(move.message, move.bytes, *move.block));
        }
    }
    received(index);
}

} // namespace nbrhood
