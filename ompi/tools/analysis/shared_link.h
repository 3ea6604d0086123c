// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A link that messages share equally: each gets the same part of its rate (processor sharing).
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace nbrhood {

// The event evaluation asks for the time at which the next message will be through, and comes back
// then. Each step takes the logarithm of the number of messages on the link.
class SharedLink {
public:
    // Puts a message on the link, which it would occupy for this many seconds if it were alone.
    // Times never decrease.
    void enter(std::uint32_t message, double seconds, double now);

    bool empty() const { return open_.empty(); }
    // The time at which the next message will be through, if no other begins before. The link must
    // not be empty.
    double next_end() const;
    // Removes the message whose end that is from the link; if there are several, the one that began
    // first.
    std::uint32_t leave();

private:
    // The service that each message on the link has received by `now`, in seconds of the whole
    // link.
    double served(double now) const
    {
        return served_ + (now - since_) / static_cast<double>(open_.size());
    }

    struct Entry {
        double end; // in seconds served
        std::uint64_t order;
        std::uint32_t message;
        bool operator<(const Entry &b) const // the first on top of the queue
        {
            return end != b.end ? end > b.end : order > b.order;
        }
    };
    std::priority_queue<Entry> open_;
    double served_ = 0; // for a message that has been there since the link was last empty
    double since_ = 0;  // the time for which served_ holds
    std::uint64_t order_ = 0;
};

} // namespace nbrhood
