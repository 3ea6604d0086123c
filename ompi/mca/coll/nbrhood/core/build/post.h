// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Interface of builds to the messages of the communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

// A build has two channels: one on which the ranks find each other, and one for all that follows.
// Messages of a channel keep their order between two ranks.
enum class Channel : std::uint8_t { wave, step };

// Implemented by the glue over Open MPI and by tests in memory. Neither function calls the build.
class Post {
public:
    virtual ~Post() = default;
    virtual void send(Rank peer, Channel channel, std::vector<std::int32_t> words) = 0;
    // Asks for the next message of a rank, which is handed over when it has come.
    virtual void expect(Rank peer, Channel channel) = 0;
};

} // namespace nbrhood
