// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages up and down a tree: of all ranks of a communicator, or of a component (class Wave).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "build/post.h"

namespace nbrhood {

// The numbers that count a rank's calls of a collective on its communicator, from 0 on: blocking
// and nonblocking calls together, persistent requests, and starts of each request. Equal numbers
// mean the same call on all ranks of a component.
struct CallCounts {
    std::uint32_t calls = 0;
    std::uint32_t requests = 0;
    std::uint32_t starts = 0;
};

// One rank's place in the tree, and the messages of Channel::step that it waits for, one or several
// from a rank.
class Tree {
public:
    explicit Tree(Post &post) : post_(&post) {}

    void place(Rank parent, const std::vector<Rank> &children)
    {
        parent_ = parent;
        children_ = children;
    }
    const std::vector<Rank> &children() const { return children_; }
    bool is_root() const { return parent_ == kNoRank; }

    void await(const std::vector<Rank> &peers);
    // Handles a message; throws BadMessage if none from this rank is expected.
    void arrived(Rank peer, std::vector<std::int32_t> words);
    // Waits for the next message of the same rank, which will replace this one in the inbox.
    void await_next(Message &message);
    // Whether all expected messages are here; and the messages, in the order in which they were
    // asked for.
    bool complete() const { return missing_ == 0; }
    std::vector<Message> &inbox() { return inbox_; }
    // The words of the only expected message.
    const std::vector<std::int32_t> &message() const { return inbox_.front().words; }

    void send(Rank peer, std::vector<std::int32_t> words);
    // Sends words up and waits for the message from above. The root finds its own words in the
    // inbox.
    void send_up(std::vector<std::int32_t> words);
    void send_down(const std::vector<std::int32_t> &words);

    // add() returns the words to send up: this rank's values plus those of its children, whose
    // messages are in the inbox. sums() reads the sums that come down. Both throw BadMessage.
    std::vector<std::int32_t> add(std::vector<std::uint64_t> values);
    static std::vector<std::uint64_t> read_sums(const std::vector<std::int32_t> &words);

    // The same for the maximum of each count.
    std::vector<std::int32_t> greatest(CallCounts counts);
    static CallCounts read_counts(const std::vector<std::int32_t> &words);

private:
    Post *post_;
    Rank parent_ = kNoRank;
    std::vector<Rank> children_;
    std::vector<Message> inbox_;
    std::size_t missing_ = 0;
};

} // namespace nbrhood
