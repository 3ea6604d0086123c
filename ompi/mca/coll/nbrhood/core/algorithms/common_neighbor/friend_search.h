// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The work of the rank that finds friend groups: chooses k, matches, makes all plans.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/common_neighbor/friend_matching.h"
#include "algorithms/common_neighbor/friend_plan.h"

namespace nbrhood {

// The search for friends of some ranks, in slices of work. The result does not depend on the
// slices.
class FriendSearch {
public:
    // senders: by rank, each once. k: see match_friends(); 0: the k with the fewest messages, found
    // by matching with each k from 2 to kMostFriends, or until two increments bring no gain. If
    // there are more than 64 senders, this choice matches only the sender in the middle and the 63
    // that have most neighbours in common with it, and examines an eighth of the candidates
    // (`most`) with each k, so that it takes no longer than the matching that follows.
    FriendSearch(std::vector<Sender> senders, int k, std::int64_t most);
    FriendSearch(const FriendSearch &) = delete;
    FriendSearch &operator=(const FriendSearch &) = delete;

    // Goes on until the slice is used up; whether there is nothing left to do.
    bool go_on(WorkSlice &slice);

    // When the work is complete.
    const std::vector<Sender> &senders() const { return senders_; }
    const FriendMatching &matching() const { return matching_; }
    const std::vector<FriendPlan> &plans() const { return plans_; }

private:
    void match(int k);
    void compare();

    std::vector<Sender> senders_;
    std::int64_t most_;
    // While k is chosen: the senders of the sample, the best k so far and its messages.
    bool chooses_ = false;
    std::vector<Sender> sample_;
    int best_ = 2;
    std::int64_t fewest_ = INT64_MAX;
    // For the current k:
    std::optional<FriendMatcher> matcher_;
    FriendMatching matching_;
    std::optional<FriendPlanner> planner_;
    std::vector<FriendPlan> plans_;
};

} // namespace nbrhood
