// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Friend groups: ranks that combine their blocks for their common neighbours. They depend only on
// the ranks' lists of out-neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// The most friends of a group.
constexpr int kMostFriends = 16;

// A rank that may have friends, and the destinations of its block.
struct Sender {
    Rank rank = kNoRank;
    std::vector<Rank> destinations; // ascending, each once, without the rank itself

    // As words, and back; take throws BadMessage for words that cannot be a sender among this many
    // ranks.
    void put(WordWriter &words) const;
    static Sender take(WordReader &words, Rank ranks);
};

// k ranks and their common out-neighbours, both ascending.
struct FriendGroup {
    std::vector<Rank> friends;
    std::vector<Rank> common;
};

// Result of the build steps of Algorithm 1. The groups of one step share no rank.
struct FriendMatching {
    int k = 0;
    std::vector<std::vector<FriendGroup>> steps;
    // The number of groups of k that have enough common neighbours before the first step; 0 if they
    // were not listed.
    std::int64_t candidates = 0;
    // Whether there were more candidates than the bound, so that groups were grown from pairs.
    bool bounded = false;
};

// Matches ranks into groups of k friends (Ghazimirsaeed, Mirsadeghi, Afsahi, "An Efficient
// Collaborative Communication Mechanism for MPI Neighborhood Collectives", 2019, section IV). A
// group has more than k common neighbours, the paper's threshold (equation 2). In each step groups
// are taken by falling number of common neighbours, ties by their ranks in lexicographic order.
// With this total order the result is the one on which the ranks would agree by the requests and
// drops of Algorithm 3. Then the common neighbours of a group, and out-neighbours that are friends,
// are removed from the active neighbours of its members. Steps follow until no group is left.
//
// senders: by rank, each once. k: below 2 there are no groups. most: the number of candidate
// groups, of up to k ranks, that the matching may examine in a step for each sender. If there are
// more candidates, groups are grown from pairs of ranks that are at most that many senders apart,
// in the order of falling number of common neighbours. Each pair gets the rank that keeps most
// common neighbours (the lowest of several) until it has k ranks. A pair that does not grow into a
// group although all ranks are free is not tried again. A step ends when it has examined as many
// candidates as it may.
FriendMatching match_friends(const std::vector<Sender> &senders, int k, std::int64_t most);

} // namespace nbrhood
