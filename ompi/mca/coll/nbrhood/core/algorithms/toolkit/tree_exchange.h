// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Words up a tree of ranks to its root, and down again: sums, votes, gathers and scatters.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/checked_messages.h"

namespace nbrhood {

// One exchange along a tree: each rank combines what its children say with its own, tells its
// parent, and the root tells its children what follows, who tell theirs. A rank may also tell the
// leader of its region something, which the leader has before it speaks for the region. If a rank
// failed before it had said what it had to, all have failed afterwards; one that fails later keeps
// its appointments. A builder embeds it, see Protocol::deliver.
class TreeExchange {
public:
    // Each function that puts words is followed by the one that takes them, on another rank; those
    // that take throw BadMessage for what cannot be. Without any the exchange is a vote: all learn
    // whether a rank failed.
    struct Terms {
        // First of all, on each rank; then its leader adds that of all members, itself among them,
        // in the order of ranks, before it takes in what children send. Empty: members say nothing.
        std::function<void(WordWriter &)> put_own;
        std::function<void(Rank member, WordReader &)> add_own;
        std::function<void(WordWriter &)> put_up = [](WordWriter &) {};
        std::function<void(Rank child, WordReader &)> add_up = [](Rank, WordReader &) {};
        // At the root; whether that has ended. Where not, it is called again in the next superstep.
        std::function<bool()> conclude = [] { return true; };
        std::function<void(Rank child, WordWriter &)> put_down = [](Rank, WordWriter &) {};
        std::function<void(WordReader &)> take_down = [](WordReader &) {};
    };

    // kind: of the messages, and those behind it as far as kKinds.
    TreeExchange(const BuildInput &input, TreePlace place, int kind, Terms terms);
    static constexpr int kKinds = 3;

    // The parts of a superstep, for Protocol::deliver; see Delivery. look() comes first, also on
    // ranks that failed: what became of all they must know, and pass on. receive() throws as
    // CheckedMessages::open and the terms do.
    void look(const std::vector<Message> &inbox);
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end: whether a rank failed before it had said what it had to, the same on all ranks
    // that were told; and whether this one was, or could not read what came down.
    bool stopped() const { return stopped_; }
    bool told() const { return stopped_ || !unreadable_; }

private:
    enum class Stage { begin, up, conclude, down, end };

    bool is_root() const { return place_.parent == kNoRank; }
    Rank leader() const { return known_ranks_->region_of(self_); }
    bool leads(Rank rank) const;
    void take_up(const std::vector<Message> &inbox);
    void conclude();
    void write_down();

    const KnownRanks *known_ranks_;
    TreePlace place_;
    int kind_;
    Terms terms_;
    Rank self_;
    CheckedMessages messages_;
    std::vector<Rank> members_;  // of a leader: those of its region that are no children
    Stage stage_ = Stage::begin; // what the last step expects
    bool concluded_ = false;
    bool stopped_ = false;
    bool unreadable_ = false;
    WordWriter own_, up_;
    std::vector<WordWriter> down_; // by child
};

} // namespace nbrhood
