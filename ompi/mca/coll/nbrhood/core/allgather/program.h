// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The pattern of an allgather, compiled for execution.
#pragma once

#include <cstdint>
#include <vector>

#include "allgather/operations.h"

namespace nbrhood {

// Flat lists with resolved dependencies. Immutable; the plans of all communicators of its shape
// share it.
class AllgatherProgram {
public:
    struct Message {
        Rank peer = kNoRank;
        Rank blocks = 0; // in all its ranges
        std::uint32_t first_range = 0;
        std::uint32_t range_count = 0;
        // For a send: the number of receives that bring its blocks, plus one if an earlier message
        // to the same rank must be sent first.
        std::uint32_t waits_for = 0;
        // The next send to the same rank; kNone: this is the last.
        std::uint32_t next_to_peer = kNone;
        // For a receive: the sends that wait for it, in feeds().
        std::uint32_t first_feed = 0;
        std::uint32_t feed_count = 0;
    };
    static constexpr std::uint32_t kNone = 0xffffffff;

    // Throws std::invalid_argument for a pattern that is not that of an allgather: a slice of
    // something other than whole receive slots, a copy other than that of the rank's own block, a
    // send of a block that no receive brings.
    AllgatherProgram(const AllgatherPattern &pattern, const AllgatherShape &shape);

    Rank ranks() const { return ranks_; }
    Rank rank() const { return rank_; }
    Rank own_position() const { return own_; }
    // By position; empty: positions are ranks.
    const std::vector<Rank> &rank_at() const { return rank_at_; }
    const std::vector<Message> &sends() const { return sends_; }
    const std::vector<Message> &receives() const { return receives_; }
    const std::vector<std::uint32_t> &feeds() const { return feeds_; }
    const PositionRange *ranges(const Message &message) const
    {
        return ranges_.data() + message.first_range;
    }

private:
    void add(const Operation &operation);
    void link();

    Rank ranks_;
    Rank rank_;
    Rank own_ = kNoRank;
    std::vector<Rank> rank_at_;
    std::vector<Message> sends_;
    std::vector<Message> receives_;
    std::vector<PositionRange> ranges_;
    std::vector<std::uint32_t> feeds_;
};

} // namespace nbrhood
