// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Distance halving: ranks hand their blocks to agents in the opposite half, half after half.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"
#include "algorithms/distance_halving/halves.h"
#include "algorithms/distance_halving/main_buffer.h"

namespace nbrhood {

// Names of the values, as MCA parameters have them; null where there is none.
const char *cut_name(int value);
const char *leaf_name(int value);
const char *pass_on_name(int value);

inline constexpr Typed<Cut> kHalvingCut{
    {"halving_cut",
     "Where distance_halving cuts the ranks, in locality order, in two. count: in halves of the "
     "same size, as in the paper; border: between nodes, then sockets, nearest to that. When to "
     "change it: count to compare with the paper",
     ValueType::name,
     static_cast<int>(Cut::border),
     {0, 1},
     Equal::builds,
     Steers::patterns,
     6,
     cut_name}};

inline constexpr Typed<Leaf> kHalvingLeaf{
    {"halving_leaf",
     "Where distance_halving stops: ranks of a socket, as in the paper, or of a node are not cut "
     "any more. When to change it: node where sockets do not matter",
     ValueType::name,
     static_cast<int>(Leaf::socket),
     {0, 1},
     Equal::builds,
     Steers::patterns,
     6,
     leaf_name}};

inline constexpr Typed<int> kHalvingOrigins{
    {"halving_origins",
     "The most ranks that one rank serves as agent in a step of distance_halving, where others "
     "would stay without; 1 is the paper. When to change it: larger where halves differ much in "
     "size",
     ValueType::number,
     2,
     {1, 64},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Typed<int> kHalvingSamples{
    {"halving_samples",
     "The most destinations of a half by which distance_halving compares ranks to select agents, "
     "evenly spread; 0: all, as in the paper. When to change it: less for faster creations with "
     "many thousand ranks",
     ValueType::number,
     2048,
     {0, 1 << 24},
     Equal::builds,
     Steers::patterns,
     7}};

inline constexpr Typed<PassOn> kHalvingPassOn{
    {"halving_pass_on",
     "Which blocks ranks pass on to agents in distance_halving. needed: those that are needed "
     "there; all: all that they have, as in the paper; cheaper: for blocks of the expected size, "
     "all between two that are needed where that is cheaper than to copy these, and no more in "
     "vain than are needed, as larger blocks use the same pattern. When to change it: needed where "
     "large blocks are frequent",
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
// again and again; in each step a rank hands over to an agent in the opposite half all that it owes
// there, its own block and those it was handed before. At the end each rank sends what it still
// owes, to ranks near by and to those for which it found no agent.
//
// Supersteps: a roll call where places are not known; ranks send their neighbours to the leader of
// their region, leaders to the coordinator of each halving and half; coordinators select agents for
// all steps at once (agent_selection.h), and leaders pass their choices on. Then what is owed is
// handed over, step by step, and a delivery tells final receivers what comes. The paper's ranks
// negotiate instead: up to 2n(n - L) messages for n ranks and L a socket.
std::unique_ptr<Builder> make_distance_halving_builder(const BuildInput &input);

// For the row's Algorithm::least.
std::optional<Traffic> least_by_halving(const Facts &facts);

} // namespace nbrhood
