// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builders of common_neighbor for all ranks, in creations and while the program runs.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/common_neighbor/common_neighbor.h"
#include "support.h"

namespace nbrhood::test {

constexpr int kFriendSizes[] = {2, 3, 4, 8, 0}; // k

const Algorithm &friends_row();

Tuning tuned(int k, bool anywhere, int candidates = 1024);
Tuning random_friends(Random &random);

// A graph with many groups: ranks that send to nearly the same ranks, some edges several times.
Graph friendly_graph(Random &random, int ranks);

// The input of the builders of all ranks, as in a creation or as in a build while the program runs.
// In the latter a rank knows its region and its neighbours, and all ranks of a component are in its
// tree.
class FriendsWorld {
public:
    FriendsWorld(Graph graph, const Machine &machine, bool beside);
    FriendsWorld(const FriendsWorld &) = delete;
    FriendsWorld &operator=(const FriendsWorld &) = delete;

    // One rank may fail in a superstep.
    std::vector<std::unique_ptr<Builder>> builders(const Tuning &tuning, Rank fail_rank = kNoRank,
                                                   int fail_step = -1);

    const Graph &graph() const { return graph_; }
    bool has_edges(std::size_t rank) const { return graph_[rank].has_edges(); }

private:
    std::vector<Rank> component_of(std::size_t rank) const;
    void tell_neighbours(const Machine &machine);

    Graph graph_;
    std::vector<KnownRanks> known_; // by rank
    KnownRanks all_;
    std::vector<BuildInput> input_;
};

} // namespace nbrhood::test
