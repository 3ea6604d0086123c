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

// One exchange along a tree: each rank combines its own words with those of its children and sends
// the result to its parent; then the root sends words down the tree. A rank may also send words to
// the leader of its region, which has them before it sends its own. If a rank failed before it sent
// its words, all ranks have failed afterwards; a rank that fails later still sends the messages
// that others expect. A builder embeds a TreeExchange, see Protocol::deliver.
class TreeExchange {
public:
    // Each function that puts words is followed by the function that takes them on another rank,
    // which throws BadMessage for impossible words. Without functions the exchange is a vote: all
    // ranks learn whether a rank failed.
    struct Terms {
        // Called first, on each rank; then the leader adds the words of all members, including
        // itself, in the order of ranks, before it adds those of its children. Empty: members send
        // nothing.
        std::function<void(WordWriter &)> put_own;
        std::function<void(Rank member, WordReader &)> add_own;
        std::function<void(WordWriter &)> put_up = [](WordWriter &) {};
        std::function<void(Rank child, WordReader &)> add_up = [](Rank, WordReader &) {};
        // Called at the root. Returns whether it is complete; if not, it is called again in the
        // next superstep.
        std::function<bool()> conclude = [] { return true; };
        std::function<void(Rank child, WordWriter &)> put_down = [](Rank, WordWriter &) {};
        std::function<void(WordReader &)> take_down = [](WordReader &) {};
    };

    // The messages have kKinds kinds from `kind` on.
    TreeExchange(const BuildInput &input, TreePlace place, int kind, Terms terms);
    static constexpr int kKinds = 3;

    // The parts of a superstep, for Protocol::deliver; see Delivery. look() comes first, also on
    // ranks that failed, because they must learn the common result and pass it on. receive() throws
    // as CheckedMessages::open and the terms do.
    void look(const std::vector<Message> &inbox);
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end: whether a rank failed before it sent its words, which is the same on all ranks
    // that were told; and whether this rank was told. (It was not if it could not read the words
    // from its parent.)
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
    std::vector<Rank> members_;  // on a leader: ranks of its region that are not children
    Stage stage_ = Stage::begin; // messages that the last step expects
    bool concluded_ = false;
    bool stopped_ = false;
    bool unreadable_ = false;
    WordWriter own_, up_;
    std::vector<WordWriter> down_; // by child
};

} // namespace nbrhood
