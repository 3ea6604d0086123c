// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One rank's part of a virtual topology: its ordered in-edges and out-edges.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood {

using Rank = std::int32_t;

// The peer of an edge that leads nowhere (MPI_PROC_NULL): its slot stays untouched.
constexpr Rank kNoRank = -1;

// One end of an edge. Among the edges of one ordered pair of ranks the key tells which is which:
// the out-edge and the in-edge that belong together carry the same key.
struct EdgeEnd {
    Rank peer = kNoRank;
    std::int32_t key = 0;
    // The edge's volume against that of other edges, 0 to kGreatestWeight; where the user gave no
    // weights all have 1. It only balances loads, so that the two ends may differ.
    std::int32_t weight = 1;
};

// That many edges of this weight as a communicator can have add up in 64 bits.
constexpr std::int32_t kGreatestWeight = 1 << 24;

// An edge as all ranks name it.
struct Edge {
    Rank source = kNoRank;
    Rank destination = kNoRank;
    std::int32_t key = 0;
};

// The graph as one rank knows it. in[j] describes receive slot j, out[i] describes send slot i, in
// the order the application gave them, with duplicates, self edges and kNoRank as given.
struct Neighbourhood {
    Rank rank = kNoRank;
    std::vector<EdgeEnd> in;
    std::vector<EdgeEnd> out;

    // True when at least one edge leads to a rank: only then may the rank relay (it takes part in
    // every call, whereas real programs skip the call on ranks without edges).
    bool has_edges() const;
};

// The neighbourhood of a graph or distributed graph topology: the k-th edge to a rank matches the
// k-th edge from it (MPI 4.0, section 8.6). Negative ranks stand for MPI_PROC_NULL.
Neighbourhood match_by_order(Rank rank, const std::vector<Rank> &sources,
                             const std::vector<Rank> &destinations);

// The neighbourhood of a Cartesian topology: slots 2d and 2d+1 hold the neighbours in the negative
// and positive direction of dimension d; what leaves through slot s arrives in slot s^1 of the
// neighbour, also where the dimension is periodic with one or two ranks.
Neighbourhood match_cartesian(Rank rank, const std::vector<Rank> &neighbours);

// Gives the edges of a distributed graph the weights that MPI_Dist_graph_create(_adjacent) was
// given, as many as there are slots; what is negative or too great is clamped.
void set_weights(Neighbourhood &neighbourhood, const std::vector<std::int32_t> &in,
                 const std::vector<std::int32_t> &out);

// A number that every edge gives once as out-edge (added) and once as in-edge (subtracted). Over
// all ranks the sum (modulo 2^64) is zero exactly when, but for hash collisions, each out-edge has
// its in-edge. The engine adds it up at creation to find graphs whose two halves do not match.
std::uint64_t edge_balance(const Neighbourhood &neighbourhood);

// Mixes 64 bits; shared by everything that hashes in core (splitmix64's finaliser).
std::uint64_t mix(std::uint64_t value);

} // namespace nbrhood
