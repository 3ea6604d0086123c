// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Interface through which builds send and receive messages.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

// A build has two channels: one for waves, and one for all later messages. Messages of a channel
// keep their order between two ranks.
enum class Channel : std::uint8_t { wave, step };

// Implemented by the glue over Open MPI and by tests in memory. Neither function calls the build.
class Post {
public:
    virtual ~Post() = default;
    virtual void send(Rank peer, Channel channel, std::vector<std::int32_t> words) = 0;
    // Asks for the next message of a rank. The build gets it when it has arrived.
    virtual void expect(Rank peer, Channel channel) = 0;
};

} // namespace nbrhood
