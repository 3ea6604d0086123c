// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans of all ranks, made from friend groups, and their form as words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/common_neighbor/friend_groups.h"
#include "algorithms/toolkit/work_slice.h"

namespace nbrhood {

// Message of a rank to an out-neighbour (the paper's neighbour information C).
struct Notification {
    // The rank that sends the notifying rank's block to the out-neighbour; the out-neighbour itself
    // if it gets the block as a friend; kNoRank if the block comes directly.
    Rank from = kNoRank;
    std::size_t blocks = 0; // in the combined message from this rank; 0: there is none

    // As words, and back; take throws BadMessage for an impossible notification among this many
    // ranks.
    void put(WordWriter &words) const;
    static Notification take(WordReader &words, Rank ranks);
};

// Plan of one rank: its exchange with its friends.
struct FriendPlan {
    std::vector<Rank> friends; // friends of all steps, ascending, which exchange their blocks
    // By destination that does not get this rank's block directly: the rank that sends it. If the
    // destination is a friend, it has the block already, and the entry is the destination itself.
    std::map<Rank, Rank> through;
    // By destination: the ranks whose blocks this rank sends there in one message, ascending.
    std::map<Rank, std::vector<Rank>> relayed;

    Notification notification_for(Rank destination) const;

    // As words, and back. take throws BadMessage for words that cannot be the plan of this rank
    // among `ranks`, with these destinations (ascending).
    void put(WordWriter &words) const;
    static FriendPlan take(WordReader &words, const Sender &own, Rank ranks);
};

// Makes the plans of all senders, in slices of work. It divides the common neighbours among the
// friends (Algorithm 1, lines 10 to 17): the i-th friend gets the i-th part; the first m mod k
// parts have one more. A block that a destination has as a friend is left out, and a block that
// would then travel alone goes directly.
class FriendPlanner {
public:
    // senders: by rank, each once. Keeps references to both.
    FriendPlanner(const std::vector<Sender> &senders, const FriendMatching &matching);

    // Goes on until the slice is used up; whether there is nothing left to do.
    bool go_on(WorkSlice &slice);
    // The plans by sender, when the work is complete.
    std::vector<FriendPlan> take() { return std::move(plans_); }

private:
    FriendPlan &plan(Rank rank) { return plans_[place_.at(rank)]; }
    void befriend(const FriendGroup &group);
    static void make_friends(const Sender &sender, FriendPlan &plan);
    void divide(const FriendGroup &group);
    void assign(Rank destination, Rank relay, const std::vector<Rank> &friends);

    const std::vector<Sender> &senders_;
    std::vector<const FriendGroup *> groups_; // of all steps
    std::unordered_map<Rank, std::size_t> place_;
    std::vector<FriendPlan> plans_;
    std::size_t befriended_ = 0; // groups whose members are entered as friends
    std::size_t made_ = 0;       // senders whose friends are known
    std::size_t divided_ = 0;    // groups
};

// As FriendPlanner, but all at once, not in slices.
std::vector<FriendPlan> plan_friends(const std::vector<Sender> &senders,
                                     const FriendMatching &matching);

// The number of messages of all senders, including messages to out-neighbours without friends.
std::int64_t count_messages(const std::vector<Sender> &senders,
                            const std::vector<FriendPlan> &plans);

} // namespace nbrhood
