// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Work of the rank that finds friend groups: chooses k, matches, makes all plans.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/common_neighbor/friend_matching.h"
#include "algorithms/common_neighbor/friend_plan.h"

namespace nbrhood {

// The search for friends of some ranks, in slices of work; what it finds does not depend on these.
class FriendSearch {
public:
    // senders: by rank, each once. k: see match_friends(); 0: the k with which fewest messages are
    // sent, found by matching with each k from 2 on, until two more friends bring nothing, or there
    // are kMostFriends. Of more than 64 senders it then matches the one in the middle and the 63
    // that have most neighbours in common with it, and looks at an eighth of the candidates
    // (`most`) with each k, so that the choice takes no longer than the matching that follows.
    FriendSearch(std::vector<Sender> senders, int k, std::int64_t most);
    FriendSearch(const FriendSearch &) = delete;
    FriendSearch &operator=(const FriendSearch &) = delete;

    // Goes on until the slice is used up; whether there is nothing left to do.
    bool go_on(WorkSlice &slice);

    // Once that is so.
    const std::vector<Sender> &senders() const { return senders_; }
    const FriendMatching &matching() const { return matching_; }
    const std::vector<FriendPlan> &plans() const { return plans_; }

private:
    void match(int k);
    void compare();

    std::vector<Sender> senders_;
    std::int64_t most_;
    // While k is chosen: those that are matched, the best so far and its messages.
    bool chooses_ = false;
    std::vector<Sender> sample_;
    int best_ = 2;
    std::int64_t fewest_ = INT64_MAX;
    // With one k:
    std::optional<FriendMatcher> matcher_;
    FriendMatching matching_;
    std::optional<FriendPlanner> planner_;
    std::vector<FriendPlan> plans_;
};

} // namespace nbrhood
