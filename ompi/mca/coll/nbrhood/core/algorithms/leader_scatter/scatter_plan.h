// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The route of one block in leader_scatter: the transfers of its parts.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/neighbourhood.h"
#include "machine/die_links.h"

namespace nbrhood {

// The place of a rank for leader_scatter: node, package and die.
struct ScatterPlace {
    Rank rank = kNoRank;
    std::int32_t node = 0;
    int package = 0; // any number that the ranks of a package share, within the node
    int die = -1;    // its number in DieLinks, -1: not known
};

// A part of a block, from `first` to `last` (not included) of `of` equal parts, that one rank sends
// to another. In phase kGather the source sends it, in kInter a rank that got it in kGather, in
// kRedistribute a rank that got it in kInter.
struct ScatterTransfer {
    Rank from = kNoRank;
    Rank to = kNoRank;
    std::uint8_t phase = 0;
    std::uint16_t first = 0;
    std::uint16_t last = 1;
    std::uint16_t of = 1;
};

// The route of a source's block to its destinations: Temucin, Gazimirsaeed, Grant, Afsahi,
// "ROCm-Aware Leader-based Designs for MPI Neighbourhood Collectives", section V. The source
// computes it alone. Each destination gets every byte once, and no byte comes to a node twice. A
// destination without a transfer gets the block directly from its source.
//
// On the source's node (Algorithm 1): destinations of one package get parts in proportion to their
// links to the source (equation 2) or, if the source is linked to none of them, by the number of
// hops (equation 1), and exchange them. Blocks go directly to destinations in the source's own
// package, and to all if `links` does not have the dies.
//
// On each other node (Algorithms 2 to 4): the destinations of a package, by their dies, make groups
// of at most two, one of which is the leader. Each leader gets an equal part, sends it to all other
// leaders, and sends all parts to its group. If there would be more than `most_leaders` leaders,
// groups are larger, and span packages if necessary. The leader of a group is its first rank, as in
// the paper (the even die if it is a destination, otherwise the odd die). With `by_turns` the first
// rank leads for blocks from even dies and the second for blocks from odd dies, so that both get
// the same amount from the network, and the links of both carry the exchange between leaders.
//
// destinations: each once, without the source. Throws std::bad_alloc only.
std::vector<ScatterTransfer> plan_scatter(const ScatterPlace &source,
                                          std::vector<ScatterPlace> destinations,
                                          const DieLinks &links, std::size_t most_leaders,
                                          bool by_turns);

} // namespace nbrhood
