// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Friend groups: which ranks combine their blocks for their common neighbours. A pure function of
// the ranks' lists of out-neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// The most friends of a group.
constexpr int kMostFriends = 16;

// A rank that may have friends, and the ranks that its block goes to.
struct Sender {
    Rank rank = kNoRank;
    std::vector<Rank> destinations; // ascending, each once, without the rank itself

    // As words, and back; take throws BadMessage for what no sender among so many ranks can be.
    void put(WordWriter &words) const;
    static Sender take(WordReader &words, Rank ranks);
};

// k ranks and the out-neighbours that all of them have in common, both ascending.
struct FriendGroup {
    std::vector<Rank> friends;
    std::vector<Rank> common;
};

// Result of the build steps of Algorithm 1: in each, groups that share no rank.
struct FriendMatching {
    int k = 0;
    std::vector<std::vector<FriendGroup>> steps;
    // Groups of k with enough common neighbours before the first step; 0 where they were not
    // listed.
    std::int64_t candidates = 0;
    // Whether the candidates were more than the bound, so that groups were grown from pairs.
    bool bounded = false;
};

// Matches ranks into groups of k friends (Ghazimirsaeed, Mirsadeghi, Afsahi, "An Efficient
// Collaborative Communication Mechanism for MPI Neighborhood Collectives", 2019, section IV). A
// group has more than k common neighbours, the paper's threshold (equation 2). In each step groups
// are taken by falling number of common neighbours, those with as many by their ranks in
// lexicographic order: in a total order of all groups this finds what the ranks would agree on by
// the requests and drops of Algorithm 3. The common neighbours of a group, and friends of a rank
// that are its out-neighbours, then leave the active neighbours of its friends, and the next step
// follows until no group is left.
//
// senders: by rank, each once. k: below 2 there are no groups. most: the candidate groups, of up to
// k ranks, that the matching may look at in a step for each sender. Where that is too few for all,
// groups are grown: pairs, of ranks at most that many senders apart, by falling number of common
// neighbours, each by the rank that keeps most of them, the lowest of these, until it has k ranks.
// A pair that does not grow into a group though all are free is not tried again. A step ends where
// it has looked at as many candidates as it may.
FriendMatching match_friends(const std::vector<Sender> &senders, int k, std::int64_t most);

} // namespace nbrhood
