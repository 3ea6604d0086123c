// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The operations of a rank, from its friends and the notifications of its neighbours.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "algorithms/common_neighbor/friend_plan.h"
#include "pattern/pattern.h"

namespace nbrhood {

// The phases of a call: friends exchange blocks, then send messages to their common neighbours.
constexpr int kFriendPhases = 2;

// The neighbours of a rank without the rank itself.
class NeighbourLinks {
public:
    explicit NeighbourLinks(const Neighbourhood &own);

    // Each once, ascending, without the rank itself.
    const std::vector<Rank> &sources() const { return sources_; }
    const std::vector<Rank> &destinations() const { return destinations_; }
    // Whether the rank has an in-edge, possibly from itself.
    bool receives() const { return receives_; }
    // This rank as input of the search for friends, without destinations if it has no in-edges: it
    // may skip a call, so it cannot relay.
    Sender sender(Rank self) const
    {
        return {self, receives_ ? destinations_ : std::vector<Rank>{}};
    }
    // The receive slots of the edges from a rank; empty if there are no edges.
    const std::vector<std::uint32_t> &slots_of(Rank source) const;

private:
    std::vector<Rank> sources_;
    std::vector<Rank> destinations_;
    std::map<Rank, std::vector<std::uint32_t>> slots_;
    bool receives_ = false;
};

// The pattern of a rank with friends (Algorithm 4, with all build steps at once).
class FriendOperations {
public:
    // notifications: of all sources. Throws BadMessage if they contradict each other or the plan.
    FriendOperations(const Neighbourhood &own, const NeighbourLinks &links, const FriendPlan &plan,
                     const std::map<Rank, Notification> &notifications);

    // Appends all operations to an empty pattern of blocks one per rank.
    void append(Pattern &pattern) const;

private:
    void read(const std::map<Rank, Notification> &notifications);
    void append_edges_of(Pattern &pattern) const;

    const Neighbourhood &own_;
    const NeighbourLinks &links_;
    const FriendPlan &plan_;
    std::set<Rank> direct_; // sources whose blocks come directly
    // By rank that sends a combined message: the sources of its blocks, ascending.
    std::map<Rank, std::vector<Rank>> combined_;
};

} // namespace nbrhood
