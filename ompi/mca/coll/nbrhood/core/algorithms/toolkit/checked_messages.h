// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages of builders with a checksum, so that none is mistaken for another.
#pragma once

#include <stdexcept>

#include "algorithms/toolkit/builder.h"
#include "pattern/message_words.h"

namespace nbrhood {

// Another rank says that it failed: to be told from a message that cannot be read.
class OtherFailed : public std::runtime_error {
public:
    OtherFailed() : std::runtime_error("another rank failed") {}
};

// Writes and reads the messages of one rank. `kind` says what a message is in its protocol; writer
// and reader must name the same.
class CheckedMessages {
public:
    explicit CheckedMessages(Rank self) : self_(self) {}

    // Words behind one that depends on all of them, on the kind and the two ranks. A rank that
    // failed says so in a message without anything else.
    Message write(int kind, Rank peer, bool failed, const std::vector<std::int32_t> &words) const;

    // Contents of a message; it must outlive the reader. Throws OtherFailed, or BadMessage if words
    // were changed, lost or added, or the message is another one.
    WordReader open(int kind, const Message &message) const;

private:
    Rank self_;
};

} // namespace nbrhood
