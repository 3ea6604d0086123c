// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Distance halving: ranks hand their blocks to agents in the opposite half, half after half.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"
#include "algorithms/distance_halving/halving_tree.h"
#include "algorithms/distance_halving/held_blocks.h"

namespace nbrhood {

// The names of the values in MCA parameters; null past the last.
const char *cut_name(int value);
const char *leaf_name(int value);
const char *pass_on_name(int value);

inline constexpr Typed<Cut> kHalvingCut{
    {"halving_cut",
     "Where distance_halving cuts the ranks, in locality order, in two. count: in halves of the "
     "same size, as in the paper; border: at the border between nodes, then sockets, that is "
     "nearest to the middle. When to change it: count to compare with the paper",
     ValueType::name,
     static_cast<int>(Cut::border),
     {0, 1},
     Equal::builds,
     Steers::patterns,
     6,
     cut_name}};

inline constexpr Typed<Leaf> kHalvingLeaf{
    {"halving_leaf",
     "Where distance_halving stops: it does not divide the ranks of a socket, as in the paper, or "
     "of a node any further. When to change it: node if sockets do not matter",
     ValueType::name,
     static_cast<int>(Leaf::socket),
     {0, 1},
     Equal::builds,
     Steers::patterns,
     6,
     leaf_name}};

inline constexpr Typed<int> kHalvingOrigins{
    {"halving_origins",
     "Greatest number of ranks that one rank serves as agent in a step of distance_halving, if "
     "some would otherwise have no agent; 1 as in the paper. When to change it: larger if halves "
     "differ much in size",
     ValueType::number,
     2,
     {1, 64},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<int> kHalvingSamples{
    {"halving_samples",
     "Greatest number of destinations in a half, evenly spread, by which distance_halving compares "
     "ranks to select agents; 0: all, as in the paper. When to change it: fewer for faster "
     "creations with many thousand ranks",
     ValueType::number,
     2048,
     {0, 1 << 24},
     Equal::builds,
     Steers::patterns,
     7}};

inline constexpr Typed<PassOn> kHalvingPassOn{
    {"halving_pass_on",
     "The blocks that ranks pass on to agents in distance_halving. needed: the blocks that are "
     "needed there; all: all blocks that they have, as in the paper; cheaper: also the blocks "
     "between two needed ones, if that is cheaper for blocks of the expected size than to copy the "
     "needed ones, but at most as many unneeded blocks as needed ones, because larger blocks use "
     "the same pattern. When to change it: needed if large blocks are frequent",
     ValueType::name,
     static_cast<int>(PassOn::cheaper),
     {0, 2},
     Equal::builds,
     Steers::patterns,
     6,
     pass_on_name}};

inline constexpr Parameters kHalvingParameters{&kHalvingCut, &kHalvingLeaf, &kHalvingOrigins,
                                               &kHalvingSamples, &kHalvingPassOn};

// Builds the patterns of Sharifian, Sojoodi, Afsahi, "A Topology- and Load-Aware Design for
// Neighborhood Allgather" (2024), section VI, for allgather: the ranks in locality order are halved
// again and again. In each step a rank hands over to an agent in the opposite half all blocks that
// it owes there: its own, and those that were handed to it before. At the end each rank itself
// sends the blocks that it still owes, to ranks nearby and to those for which it found no agent.
//
// Supersteps: a roll call if places are not known; ranks send their neighbours to the leader of
// their region, leaders to the coordinator of each halving and half; coordinators select agents for
// all steps at once (agent_selection.h), and leaders pass their choices on. Then the lists of owed
// blocks are handed over, step by step, and a delivery tells final receivers which blocks will
// come. In the paper ranks negotiate instead: up to 2n(n - L) messages for n ranks, L on a socket.
std::unique_ptr<Builder> make_distance_halving_builder(const BuildInput &input);

// For the row's Algorithm::least.
std::optional<Traffic> least_by_halving(const Facts &facts);

} // namespace nbrhood
