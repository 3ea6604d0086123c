// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/checked_messages.h"

namespace nbrhood {
namespace {

std::int32_t seal(int kind, Rank from, Rank to, bool failed, WordReader words)
{
    std::uint64_t hash = words.left();
    for (const std::int32_t word : {kind, from, to, failed ? 1 : 0}) {
        hash = mix(hash ^ static_cast<std::uint32_t>(word));
    }
    while (words.left() != 0) {
        hash = mix(hash ^ static_cast<std::uint32_t>(words.take()));
    }
    return static_cast<std::int32_t>(hash);
}

} // namespace

Message CheckedMessages::write(int kind, Rank peer, bool failed,
                               const std::vector<std::int32_t> &words) const
{
    Message message{peer, failed, {0}};
    if (!failed) {
        message.words.insert(message.words.end(), words.begin(), words.end());
    }
    WordReader content(message.words);
    content.take();
    message.words[0] = seal(kind, self_, peer, failed, content);
    return message;
}

WordReader CheckedMessages::open(int kind, const Message &message) const
{
    WordReader words(message.words);
    if (words.take() != seal(kind, message.peer, self_, message.failed, words)) {
        throw BadMessage("a message that is not the expected one, or was changed");
    }
    if (message.failed) {
        throw OtherFailed();
    }
    return words;
}

} // namespace nbrhood
