// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The recursive division of the ranks into halves, down to a socket or node.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/toolkit/known_ranks.h"

namespace nbrhood {

// The place at which a part is cut: into two of the same size, as in the paper, or at the border
// between two nodes (or else two sockets) that is nearest to its middle.
enum class Cut : std::uint8_t { count, border };

// Parts that are not larger than a socket, or a node, are not cut.
enum class Leaf : std::uint8_t { socket, node };

// One part of the ranks in locality order, by position: [first, middle) and [middle, end).
struct Halving {
    int first = 0;
    int middle = 0;
    int end = 0;
    int depth = 0; // the step in which the ranks of the part exchange blocks

    // Half 0 is the lower one.
    int begin_of(int half) const { return half == 0 ? first : middle; }
    int end_of(int half) const { return half == 0 ? middle : end; }
    int size_of(int half) const { return end_of(half) - begin_of(half); }
    bool contains(int position) const { return position >= first && position < end; }
    int half_of(int position) const { return position < middle ? 0 : 1; }
};

// All ranks that take part, in locality order (nodes together, inside them sockets, for any
// placement), and all parts that are cut. Sharifian, Sojoodi, Afsahi, "A Topology- and Load-Aware
// Design for Neighborhood Allgather" (2024), algorithm 1, lines 11 to 24. All ranks make the same
// tree.
class HalvingTree {
public:
    // all: complete.
    HalvingTree(const KnownRanks &all, Cut cut, Leaf leaf);

    const std::vector<Rank> &order() const { return order_; }
    Rank at(int position) const { return order_[static_cast<std::size_t>(position)]; }
    // The position of a rank; throws BadMessage if the rank does not take part.
    int position(Rank rank) const;

    // All parts that are cut; each comes before the parts that it consists of.
    const std::vector<Halving> &halvings() const { return halvings_; }
    // The parts that contain a position, by depth.
    std::vector<Halving> of(int position) const;
    // The greatest number of steps of a rank.
    int depth() const;

    // The rank that selects the agents of one half's ranks in the other half.
    Rank coordinator(const Halving &halving, int half) const;

private:
    void halve(int first, int end, int depth, Cut cut);
    int cut_at_border(int first, int end) const;

    std::vector<Rank> order_;
    std::vector<int> position_; // by rank; -1: does not take part
    // By position, the border before it: 0 none, 1 between sockets, 2 between nodes.
    std::vector<std::uint8_t> border_;
    int leaf_ranks_ = 1;
    std::uint8_t leaf_border_ = 0; // the innermost border at which parts are cut
    std::vector<Halving> halvings_;
};

} // namespace nbrhood
