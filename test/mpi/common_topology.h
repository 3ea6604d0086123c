// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The tests' own model of a process topology: every rank holds the whole graph and so knows the
// data that it must receive.
#pragma once

#include "common_mpi.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nbrhood_test {

/// One end of an edge: a rank and the number of its slot (out-slot at the source, in-slot at the
/// destination).
struct Endpoint {
    int rank = MPI_PROC_NULL;
    int slot = 0;
};

/// Ordered neighbours of one rank, with duplicates, itself and MPI_PROC_NULL as given.
struct Neighbourhood {
    std::vector<int> in;
    std::vector<int> out;
};

using EdgeList = std::vector<std::pair<int, int>>;

/// A whole process topology and the matching of its out-slots with its in-slots.
class Topology {
public:
    enum class Kind { dist_graph, graph, cart };

    /// Distributed graph from global neighbour lists; the k-th edge to a rank matches the k-th edge
    /// from it.
    static Topology dist_graph(std::vector<Neighbourhood> neighbourhoods);
    /// Distributed graph from a list of edges; the neighbours of each rank are put into an order
    /// that depends on seed.
    static Topology from_edges(int ranks, const EdgeList &edges, std::uint64_t seed);
    /// MPI_Graph_create topology: symmetric adjacency lists, possibly with multiple edges.
    static Topology graph(std::vector<std::vector<int>> adjacency);
    /// MPI_Cart_create topology: data sent in direction s arrives in slot s^1 at the neighbour.
    static Topology cart(const std::vector<int> &dims, const std::vector<int> &periods);
    /// The distributed graph that a communicator reports, collected from all its ranks
    /// (collective).
    static Topology gather(MPI_Comm comm);

    int size() const { return static_cast<int>(neighbourhoods_.size()); }
    Kind kind() const { return kind_; }
    const Neighbourhood &at(int rank) const
    {
        return neighbourhoods_[static_cast<std::size_t>(rank)];
    }
    const std::vector<int> &dims() const { return dims_; }
    const std::vector<int> &periods() const { return periods_; }

    /// Whether a rank has any slot (slots of MPI_PROC_NULL count: they are part of the call's
    /// arguments).
    bool has_edges(int rank) const { return !at(rank).in.empty() || !at(rank).out.empty(); }
    /// The source whose block must arrive in an in-slot; rank MPI_PROC_NULL if nothing may arrive.
    Endpoint source_of(int rank, int in_slot) const;
    /// A number that all ranks of one weakly connected part share (its smallest rank).
    int component(int rank) const { return component_[static_cast<std::size_t>(rank)]; }
    /// Compares with the report of the communicator itself for this rank; returns a reason or an
    /// empty string.
    std::string mismatch_with(MPI_Comm comm, int rank) const;

private:
    Topology(Kind kind, std::vector<Neighbourhood> neighbourhoods);
    void match_by_order();
    void match_by_direction();
    void find_components();

    Kind kind_;
    std::vector<Neighbourhood> neighbourhoods_;
    std::vector<std::vector<Endpoint>> sources_;
    std::vector<int> component_;
    std::vector<int> dims_;
    std::vector<int> periods_;
};

/// Random directed graph in which each ordered pair of different ranks is an edge with probability
/// density.
EdgeList random_edges(int ranks, double density, std::uint64_t seed);
/// Random directed graph in which every third rank, from rank 1 on, has no edges.
EdgeList edges_with_isolated_ranks(int ranks, double density, std::uint64_t seed);
/// Moore neighbourhood of radius 1 on a periodic grid of the given dimensions (duplicates and self
/// edges on small ones).
EdgeList moore_edges(const std::vector<int> &dims);
/// Open grid of the given dimensions, numbered row by row: each rank has all ranks up to `radius`
/// steps away in each dimension as neighbours.
EdgeList grid_edges(const std::vector<int> &dims, int radius);
/// Ring in both directions with each edge repeated.
EdgeList ring_edges(int ranks, int repeats);
/// Balanced dimensions whose product is ranks.
std::vector<int> balanced_dims(int ranks, int ndims);

} // namespace nbrhood_test
