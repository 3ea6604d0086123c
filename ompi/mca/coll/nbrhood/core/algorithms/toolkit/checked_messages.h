// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages of builders with a checksum, so that none is mistaken for another.
#pragma once

#include <stdexcept>

#include "algorithms/toolkit/builder.h"
#include "pattern/message_words.h"

namespace nbrhood {

// Another rank reports that it failed. Distinct from BadMessage, a message that cannot be read.
class OtherFailed : public std::runtime_error {
public:
    OtherFailed() : std::runtime_error("another rank failed") {}
};

// Writes and reads the messages of one rank. `kind` identifies a message in its protocol; writer
// and reader must use the same one.
class CheckedMessages {
public:
    explicit CheckedMessages(Rank self) : self_(self) {}

    // Writes the words after a checksum of them, the kind and the two ranks. The message of a rank
    // that failed says only that.
    Message write(int kind, Rank peer, bool failed, const std::vector<std::int32_t> &words) const;

    // A reader of the words of a message, which must outlive the reader. Throws OtherFailed, or
    // BadMessage if words were changed, lost or added, or it is another message.
    WordReader open(int kind, const Message &message) const;

private:
    Rank self_;
};

} // namespace nbrhood
