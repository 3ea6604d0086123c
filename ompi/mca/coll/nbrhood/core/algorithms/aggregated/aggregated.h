// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Aggregated: locality-aware aggregation of messages between regions, in three steps or in two.
#pragma once

#include <climits>
#include <memory>
#include <optional>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"

namespace nbrhood {

// Variants of the builder.
enum Scheme : int {
    kThreeStep, // gather, one message for each pair of regions, redistribute
    kTwoStep    // one message from each rank to each region it sends to, redistribute
};

// The number of phases of a call.
constexpr int phases_of(Scheme scheme)
{
    return scheme == kTwoStep ? 2 : 3;
}

inline constexpr Typed<int> kRelaysPerRegion{
    {"relays_per_region",
     "Greatest number of relays of a region, in each connected part of the graph: ranks that carry "
     "messages to and from other regions (with two_step: ranks that take messages for others). 0: "
     "by load, one for every eight messages that cross the region's border if ranks share cores, "
     "else one for each message; with two_step all ranks. When to change it: set it if one relay "
     "is a bottleneck, or to have exactly one",
     ValueType::number,
     0,
     {0, INT_MAX},
     Equal::builds,
     Steers::patterns,
     5}};

// For three steps only.
inline constexpr Typed<int> kCombineLocal{
    {"combine_local",
     "For aggregated only: whether blocks inside a node are combined through its relay, too, if "
     "the connected part has one relay on the node. -1: on nodes whose ranks outnumber their "
     "cores, and only if the part has more edges inside the node than ranks on it; 0: never; 1: "
     "always. When to change it: 0 or 1 to compare",
     ValueType::number,
     -1,
     {-1, 1},
     Equal::builds,
     Steers::patterns,
     6}};

inline constexpr Parameters kAggregatedParameters{&kRelaysPerRegion, &kCombineLocal};
inline constexpr Parameters kTwoStepParameters{&kRelaysPerRegion};

// Builds the aggregated patterns of Collom, Li, Bienz (2023); the paper describes them for
// alltoallv. Three steps (sections 3.1 and 3.2): fully local messages (l) go direct; blocks for
// other regions are gathered on a relay (s), sent in one message for each pair of regions (g), and
// redistributed (r). Two steps (section 2.1, and Bienz, Gropp, Olson 2020): without the gather;
// each rank sends its blocks for a region to one rank of that region. If a rank sends one block to
// all (allgather), that block goes to a relay once and to each region once.
//
// Supersteps: members send their edges to the leader of their region, the lowest rank with edges;
// leaders merge components and traffic up a binomial tree and receive labels and decisions back
// down it; leaders of regions joined by edges tell each other their relays; leaders send each
// member its operations. Ranks without edges take no part.
std::unique_ptr<Builder> make_aggregated_builder(const BuildInput &input);

// For the rows' Algorithm::least: one message between regions, over the nearest possible link, and
// the phases.
std::optional<Traffic> least_in_three_steps(const Facts &facts);
std::optional<Traffic> least_in_two_steps(const Facts &facts);

} // namespace nbrhood
