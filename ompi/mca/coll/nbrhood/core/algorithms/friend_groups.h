// Friend groups: which ranks combine their blocks for their common neighbours. A pure function of
// the ranks' lists of out-neighbours.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/words.h"

namespace nbrhood {

// The most friends of a group.
constexpr int kMostFriends = 16;

// A rank that may have friends, and the ranks that its block goes to.
struct Sender {
    Rank rank = kNoRank;
    std::vector<Rank> destinations; // ascending, each once, without the rank itself

    // As words, and back; take throws BadWords for what no sender among so many ranks can be.
    void put(WordWriter &words) const;
    static Sender take(WordReader &words, Rank ranks);
};

// k ranks and the out-neighbours that all of them have in common, both ascending.
struct FriendGroup {
    std::vector<Rank> friends;
    std::vector<Rank> common;
};

// What the build steps of Algorithm 1 find: in each, groups that share no rank.
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

// What a rank tells an out-neighbour (the paper's neighbour information C).
struct News {
    // The rank that its block comes from: the out-neighbour itself where it has the block as a
    // friend; kNoRank where the block comes directly.
    Rank from = kNoRank;
    std::size_t blocks = 0; // in the combined message that the rank sends it; 0: it sends none

    // As words, and back; take throws BadWords for what cannot be told among so many ranks.
    void put(WordWriter &words) const;
    static News take(WordReader &words, Rank ranks);
};

// What one rank does with its friends.
struct FriendPlan {
    std::vector<Rank> friends; // of all steps, ascending: each sends its block to each other
    // By destination that gets this rank's block otherwise than directly: the rank that it gets it
    // from. The destination itself where it is a friend, so that it has the block anyway.
    std::map<Rank, Rank> through;
    // By destination: the ranks whose blocks this rank sends it in one message, ascending.
    std::map<Rank, std::vector<Rank>> duties;

    News news_for(Rank destination) const;

    // As words, and back. take throws BadWords for words that are no plan of this rank among so
    // many, whose destinations are these, ascending.
    void put(WordWriter &words) const;
    static FriendPlan take(WordReader &words, const Sender &own, Rank ranks);
};

// Divides the common neighbours among the friends (Algorithm 1, lines 10 to 17): the i-th part to
// the i-th friend, the first m mod k of them one more. A block that a destination has as a friend
// is left out, and a block that would travel alone then goes directly. By sender.
std::vector<FriendPlan> plan_friends(const std::vector<Sender> &senders,
                                     const FriendMatching &matching);

// Messages that all senders send, those to out-neighbours without friends among them.
std::int64_t count_messages(const std::vector<Sender> &senders,
                            const std::vector<FriendPlan> &plans);

// The k with which fewest messages are sent, found by matching with each k from 2 on, until two
// more friends bring nothing, or there are kMostFriends. Of more than 64 senders it matches the one
// in the middle and the 63 that have most neighbours in common with it. It looks at an eighth of
// the candidates with each k, so that the search takes no longer than the matching that follows.
int best_group_size(const std::vector<Sender> &senders, std::int64_t most);

} // namespace nbrhood
