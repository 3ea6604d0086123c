// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The way of one block in leader_scatter: which rank gets which part of it from whom.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/neighbourhood.h"
#include "machine/die_links.h"

namespace nbrhood {

// Place of a rank, as leader_scatter sees it: a node, there a package, and in that a die.
struct ScatterPlace {
    Rank rank = kNoRank;
    std::int32_t node = 0;
    int package = 0; // any number that the ranks of a package share, within the node
    int die = -1;    // its number in DieLinks, -1: not known
};

// A part of a block, from `first` to `last` (not included) of `of` equal parts, that one rank sends
// another. In phase kGather the source sends it, in kInter one to which it came in kGather, in
// kRedistribute one to which it came in kInter.
struct ScatterTransfer {
    Rank from = kNoRank;
    Rank to = kNoRank;
    std::uint8_t phase = 0;
    std::uint16_t first = 0;
    std::uint16_t last = 1;
    std::uint16_t of = 1;
};

// The way of a source's block to its destinations, each of which gets every byte once, and of which
// no byte comes to a node twice: Temucin, Gazimirsaeed, Grant, Afsahi, "ROCm-Aware Leader-based
// Designs for MPI Neighbourhood Collectives", section V, as the source finds it alone. A
// destination that is in no transfer gets the block directly from its source.
//
// On the source's node (Algorithm 1): destinations of one package get parts that are as large as
// they are well linked to the source, by the number of links (equation 2), or, where the source is
// linked to none of them, by that of hops (equation 1), and exchange them. Blocks go directly to
// destinations in the source's own package, and to all where `links` does not know the dies.
//
// On each other node (Algorithms 2 to 4): the destinations of a package, by their dies, make groups
// of at most two, one of which is the leader. Each leader gets an equal part, sends it to all other
// leaders, and its group all parts. Where so many leaders would be more than `most_leaders`, groups
// are larger, and span packages where these are more. The leader of a group is its first rank, as
// in the paper (the even die, where it is a destination; so an odd die without it leads itself);
// or, `by_turns`, even dies have the first and odd dies the second, so that no more comes through
// the network to one than to the other, and the links of both carry what leaders exchange.
//
// destinations: each once, without the source. Throws std::bad_alloc only.
std::vector<ScatterTransfer> plan_scatter(const ScatterPlace &source,
                                          std::vector<ScatterPlace> destinations,
                                          const DieLinks &links, std::size_t most_leaders,
                                          bool by_turns);

} // namespace nbrhood
