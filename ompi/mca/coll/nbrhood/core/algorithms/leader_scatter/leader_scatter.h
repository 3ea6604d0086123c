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
     "Blocks of more bytes are scattered by leader_scatter; others go directly to their "
     "destinations. By default blocks of 256 KiB and more are scattered, as in the paper. When to "
     "change it: lower it if the network is slow compared with the links inside a node",
     ValueType::bytes,
     (256 << 10) - 1,
     {0, 1 << 30},
     Equal::builds,
     Steers::patterns,
     5}};

inline constexpr Typed<Level> kScatterPackage{
    {"leader_scatter_package",
     "The domain that counts as a package in leader_scatter, whose ranks are linked better with "
     "each other than with others. l3: the cores that share an L3 cache, of which an EPYC has "
     "several in a socket. If the domain of a rank is not known, its socket counts, or else its "
     "node. When to change it: if ranks have no GPUs",
     ValueType::name,
     static_cast<int>(Level::gpu),
     {static_cast<int>(Level::socket), static_cast<int>(Level::gpu)},
     Equal::builds,
     Steers::patterns,
     6,
     level_name}};

inline constexpr Typed<int> kScatterLeaders{
    {"leader_scatter_leaders",
     "Greatest number of ranks of a node that get parts of one block from another node in "
     "leader_scatter. When to change it: fewer if nodes have many ranks and parts become small",
     ValueType::number,
     8,
     {1, 1024},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<bool> kScatterTurns{
    {"leader_scatter_turns",
     "Whether in leader_scatter the two ranks of a package on another node take turns as its "
     "leader: the first for blocks from the even dies of a node, the second for blocks from the "
     "odd ones. false: the first always leads if it is a destination, as in the paper. When to "
     "change it: false to compare",
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
// blocks cross into a node once, in parts for several of its dies (scatter_plan.h). Relays send the
// parts on from receive slot to receive slot: they are destinations, know all sizes, and neither
// stage nor pack. Packages are GPUs, or sockets if there are none, or other domains
// (kScatterPackage).
//
// Supersteps: each rank plans the route of its block and tells each destination its role in it;
// CountedProtocol follows. If there are several edges between two ranks, only the block of the
// first is scattered.
std::unique_ptr<Builder> make_leader_scatter_builder(const BuildInput &input);

// For the row's Algorithm::least: three phases, and one message between nodes. Nothing if no edge
// leaves a node.
std::optional<Traffic> least_by_scatter(const Facts &facts);

} // namespace nbrhood
