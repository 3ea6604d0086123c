// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One rank's part of a virtual topology: its ordered in-edges and out-edges.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood {

using Rank = std::int32_t;

// The peer of an edge to MPI_PROC_NULL. The buffers of its slot stay untouched.
constexpr Rank kNoRank = -1;

// One end of an edge. The key tells the edges of one ordered pair of ranks apart: the two ends of
// an edge have the same key.
struct EdgeEnd {
    Rank peer = kNoRank;
    std::int32_t key = 0;
    // The edge's volume relative to other edges, 0 to kGreatestWeight; 1 for all if the user gave
    // no weights. Weights only balance loads, so the two ends may have different ones.
    std::int32_t weight = 1;
};

// The weights of all edges of a communicator add up in 64 bits.
constexpr std::int32_t kGreatestWeight = 1 << 24;

// An edge, named identically on all ranks.
struct Edge {
    Rank source = kNoRank;
    Rank destination = kNoRank;
    std::int32_t key = 0;
};

// The graph as one rank knows it. in[j] describes receive slot j, out[i] describes send slot i, in
// the application's order, including duplicates, self edges and kNoRank.
struct Neighbourhood {
    Rank rank = kNoRank;
    std::vector<EdgeEnd> in;
    std::vector<EdgeEnd> out;

    // True when at least one edge leads to a rank: only then may the rank relay. (Programs skip the
    // call on ranks without edges.)
    bool has_edges() const;
};

// The neighbourhood of a graph or distributed graph topology: the k-th edge to a rank matches the
// k-th edge from it (MPI 4.0, section 8.6). Negative ranks stand for MPI_PROC_NULL.
Neighbourhood match_by_order(Rank rank, const std::vector<Rank> &sources,
                             const std::vector<Rank> &destinations);

// The neighbourhood of a Cartesian topology: slots 2d and 2d+1 hold the neighbours in the negative
// and positive direction of dimension d; a block sent from slot s arrives in slot s^1 of the
// neighbour, also if the dimension is periodic with one or two ranks.
Neighbourhood match_cartesian(Rank rank, const std::vector<Rank> &neighbours);

// Gives the edges of a distributed graph the weights that MPI_Dist_graph_create(_adjacent) was
// given, one per slot. Weights out of range are clamped.
void set_weights(Neighbourhood &neighbourhood, const std::vector<std::int32_t> &in,
                 const std::vector<std::int32_t> &out);

// The sum of the hashes of the out-edges, minus that of the in-edges. Summed over all ranks (modulo
// 2^64) it is zero if each out-edge has its in-edge and, but for hash collisions, only then. The
// engine adds it up at creation to find graphs whose in-edges and out-edges do not match.
std::uint64_t edge_balance(const Neighbourhood &neighbourhood);

// Mixes 64 bits (splitmix64's finaliser); all hashes of the core use it.
std::uint64_t mix(std::uint64_t value);

} // namespace nbrhood
