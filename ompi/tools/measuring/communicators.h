// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The compared communicators: one graph, one communicator for each algorithm.
#pragma once

#include "mpi_headers.h"

#include "common/graph.h"

#include <functional>
#include <string>
#include <vector>

namespace nbrhood_tools {

/// True for the labels of communicators on which Open MPI runs its own algorithms: "stock" and
/// "stock#2".
bool is_stock(const std::string &label);

/// A communicator of the graph, made by MPI_Dist_graph_create_adjacent, whose calls use the
/// algorithm with this label. Collective over `comm`. The caller frees it.
MPI_Comm create_topology(const Neighbourhood &part, const std::string &label, MPI_Comm comm);

/// A duplicate of `comm` that has no topology, whose calls use the algorithm with this label;
/// `algorithm_key` is the info key that chooses it. Collective over `comm`. The caller frees it.
MPI_Comm create_duplicate(const std::string &algorithm_key, const std::string &label,
                          MPI_Comm comm);

/// One algorithm's communicator.
struct Candidate {
    std::string label;
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<double> creation_seconds; ///< slowest rank, one for each creation
};

/// Creates the communicators, `creations` times each in alternating order, and keeps the last of
/// each. `create` makes the communicator with a label. Collective over `comm`. The caller frees
/// them with free_candidates().
std::vector<Candidate>
create_candidates(const std::function<MPI_Comm(const std::string &label)> &create,
                  const std::vector<std::string> &labels, int creations, MPI_Comm comm);
/// The same by MPI_Dist_graph_create_adjacent.
std::vector<Candidate> create_candidates(const Neighbourhood &part,
                                         const std::vector<std::string> &labels, int creations,
                                         MPI_Comm comm);

/// Frees the communicators. Collective.
void free_candidates(std::vector<Candidate> &candidates);

/// The shared-memory node of each rank, named by the lowest rank on it. Collective.
std::vector<int> nodes_of_ranks(MPI_Comm comm);

/// How many nodes there are among these.
int count_nodes(const std::vector<int> &nodes);

} // namespace nbrhood_tools
