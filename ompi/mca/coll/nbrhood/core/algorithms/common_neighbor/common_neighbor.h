// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Common neighbor: friends combine their blocks for the out-neighbours that they share.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"

namespace nbrhood {

inline constexpr Typed<int> kFriendsPerGroup{
    {"friends_per_group",
     "k: the number of ranks that combine their blocks for the out-neighbours that all of them "
     "have, in common_neighbor; they must have more than k common out-neighbours. 1: no groups, so "
     "all blocks go direct. 0: the k that leads to the fewest messages, found by matching with "
     "several k, for each node on its own; that takes about as long as the matching itself. When "
     "to change it: set it to compare, or if k is known for a graph whose ranks send to much the "
     "same neighbours; the denser the graph, the greater k",
     ValueType::number,
     0,
     {0, 16},
     Equal::builds,
     Steers::patterns,
     5}};

inline constexpr Typed<bool> kFriendsAnywhere{
    {"friends_anywhere",
     "Whether friends in common_neighbor may be of different regions (the paper's "
     "topology-agnostic design). Then all ranks send their out-neighbours to one rank, which finds "
     "the groups. When to change it: true for graphs whose ranks share neighbours only with ranks "
     "of other nodes",
     ValueType::flag,
     0,
     {0, 1},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<int> kFriendCandidates{
    {"friend_candidates",
     "Greatest number of candidate groups of friends that common_neighbor examines for each rank "
     "in a build step. If there are more (nodes of 32 ranks: k above 3), groups are grown instead: "
     "they start from the pairs with the most common neighbours, and each adds the rank that keeps "
     "most of these. When to change it: lower it if building takes too long, raise it for the "
     "groups of the paper's algorithm",
     ValueType::number,
     1024,
     {1, 1 << 20},
     Equal::builds,
     Steers::patterns,
     8}};

inline constexpr Parameters kFriendParameters{&kFriendsPerGroup, &kFriendsAnywhere,
                                              &kFriendCandidates};

// Builds the patterns of Ghazimirsaeed, Mirsadeghi, Afsahi (2019) for neighbor_allgather and
// neighbor_allgatherv. Groups of k friends (friend_groups.h) divide their common out-neighbours
// among them (Algorithm 1). A call has two phases, for any number of build steps: each friend sends
// its block to its friends of all steps (kGather), then one message with the blocks of its group to
// each of its part of the common neighbours (kRedistribute). A friend that is an out-neighbour
// keeps the block that it gets as a friend. Other blocks go directly. Friends are ranks with both
// in- and out-edges.
//
// Supersteps: ranks send their out-neighbours to the leader of their region, which finds the groups
// of its region (the paper's topology-aware design), or passes the lists up the tree, whose root
// finds the groups of all ranks (topology-agnostic). Each rank gets its plan by the reverse route.
// It then tells its out-neighbours how its block comes (the paper's neighbour information C), and
// makes its pattern; CountedProtocol follows.
std::unique_ptr<Builder> make_common_neighbor_builder(const BuildInput &input);

// For the row's Algorithm::least: two phases, and one message between nodes if an edge joins two
// nodes. No more is certain: a message has up to kMostFriends blocks, a block may serve any number
// of edges between two ranks, and the links of the other messages depend on the groups. Nothing if
// no rank has enough out-neighbours for a group.
std::optional<Traffic> least_with_friends(const Facts &facts);

} // namespace nbrhood
