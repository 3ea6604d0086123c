// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Leader scatter: large blocks are scattered over the dies of the receiving side, which exchange
// the parts.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"

namespace nbrhood {

inline constexpr Typed<std::size_t> kScatterAbove{
    {"leader_scatter_above",
     "Larger blocks, in bytes, are scattered by leader_scatter; others go straight to their "
     "destinations. Default: from 256 KiB on, as in the paper. When to change it: lower it where "
     "the network is slow against what is inside a node",
     ValueType::bytes,
     (256 << 10) - 1,
     {0, 1 << 30},
     Equal::builds,
     Steers::patterns,
     5}};

inline constexpr Typed<Level> kScatterPackage{
    {"leader_scatter_package",
     "What leader_scatter takes for a package, whose ranks are linked better with each other than "
     "with others. l3: the cores that share an L3 cache, of which an EPYC has several in a socket. "
     "Ranks of which that is not known count by their socket, or else by their node. When to "
     "change it: where ranks have no GPUs",
     ValueType::name,
     static_cast<int>(Level::gpu),
     {static_cast<int>(Level::socket), static_cast<int>(Level::gpu)},
     Equal::builds,
     Steers::patterns,
     6,
     level_name}};

inline constexpr Typed<int> kScatterLeaders{
    {"leader_scatter_leaders",
     "The most ranks of a node that get parts of one block from another node in leader_scatter. "
     "When to change it: fewer where nodes have many ranks, and parts become small",
     ValueType::number,
     8,
     {1, 1024},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<bool> kScatterTurns{
    {"leader_scatter_turns",
     "Whether the two ranks of a package on another node lead it by turns in leader_scatter, the "
     "first for the even dies of a node and the second for the odd ones. false: the first, if it "
     "is a destination, always leads, as in the paper. When to change it: false to compare",
     ValueType::flag,
     1,
     {0, 1},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Parameters kScatterParameters{&kScatterAbove, &kScatterPackage, &kScatterLeaders,
                                               &kScatterTurns};

// Builds the patterns of Temucin, Gazimirsaeed, Grant, Afsahi, "ROCm-Aware Leader-based Designs for
// MPI Neighbourhood Collectives", section V, for neighbor_allgather and neighbor_allgatherv: large
// blocks cross into a node once, in parts for several of its dies (scatter_plan.h), which have them
// sent from receive slot to receive slot: relays are destinations, know all sizes, and neither
// stage nor pack. Packages are GPUs, or sockets where there are none, or
// others (kScatterPackage).
//
// Supersteps: each rank plans the way of its block and tells each of its destinations what part of
// it that has; CountedProtocol follows. Of several edges between two ranks the first is scattered.
std::unique_ptr<Builder> make_leader_scatter_builder(const BuildInput &input);

// For the row's Algorithm::least: three phases, in which of the blocks that leave a node no more
// are saved than enter one where all of its ranks are neighbours. Nothing where no edge leaves a
// node and nothing is known of dies.
std::optional<Traffic> least_by_scatter(const Facts &facts);

} // namespace nbrhood
