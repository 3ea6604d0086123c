// Later starts of a persistent plan: the sizes are known, so messages have no headers.
#include <cstring>

#include "execute/plan.h"

namespace nbrhood {

void Plan::post_settled(std::uint32_t index)
{
    const Program::Item &item = program_->receives()[index];
    const Settled::Placement &placement = settled_.receive(index);
    Token &token = tokens_[program_->sends().size() + index];
    arrivals_[index] = Arrival{};
    arrivals_[index].missing = 1;
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
            lose(transport_.pack(*move.block, move.message), program_->rank());
        }
    }
    // Without a header, an empty message tells that what it should carry is missing here.
    const bool failed = lost_.error != 0;
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

// A message of the known length is right; an empty one says that its sender failed.
void Plan::check_settled(std::uint32_t index, std::size_t bytes, std::size_t expected)
{
    const Program::Item &item = program_->receives()[index];
    if (error_ != 0 || bytes == expected) {
        return;
    }
    if (bytes == 0) {
        lose(transport_.failed_before(item.peer, Failure{}, program_->only_relayed(item)),
             item.peer);
    } else {
        Header got = expected_header(item);
        got.payload = bytes;
        reject(index, "its length is not the one learnt in the first start", got, expected);
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
