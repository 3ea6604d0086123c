// Aggregated: locality-aware aggregation of messages between regions, in three steps or in two.
#pragma once

#include <memory>

#include "algorithms/builder.h"

namespace nbrhood {

// Variants of the builder.
enum Scheme : int {
    kThreeStep, // gather, one message for each pair of regions, redistribute
    kTwoStep    // one message from each rank to each region it sends to, redistribute
};

// Builds the aggregated patterns of Collom, Li, Bienz (2023), which the paper has for alltoallv.
// Three steps (sections 3.1 and 3.2): fully local messages (l) go direct; what crosses regions is
// gathered on a relay (s), sent in one message for each pair of regions (g), and redistributed (r).
// Two steps (section 2.1, and Bienz, Gropp, Olson 2020): without the gather; each rank sends what
// it has for a region to one rank there. Where a rank sends one block to all (allgather), that
// block goes to a relay once and to each region once.
//
// Supersteps: members send their edges to the leader of their region, the lowest rank with edges;
// leaders merge components and traffic up a binomial tree and hear labels and verdicts back down
// it; leaders of regions that share edges tell each other their relays; leaders send each member
// its operations. Ranks without edges take no part.
std::unique_ptr<Builder> make_aggregated_builder(const BuildInput &input);

} // namespace nbrhood
