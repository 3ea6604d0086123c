// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The ranks that take part, in the order of a placement, and their communicators.
#pragma once

#include "measuring/mpi_headers.h"

#include <map>
#include <string>
#include <vector>

namespace nbrhood_tools::allgather {

enum class Placement { by_slot, by_node };

/// "slot" or "node".
const char *name_of(Placement placement);

/// The traffic of a rank to other nodes in a call.
struct Sent {
    long long messages = -1;
    long long bytes = -1;
};

class Group {
public:
    /// Collective over `comm`. ranks_per_node: at most this many ranks of each node; 0: all. Rank 0
    /// of `comm` is always rank 0 of the group.
    Group(Placement placement, int ranks_per_node, MPI_Comm comm);
    ~Group();
    Group(const Group &) = delete;
    Group &operator=(const Group &) = delete;

    bool has_this_rank() const { return comm_ != MPI_COMM_NULL; }
    MPI_Comm comm() const { return comm_; }
    int ranks() const { return static_cast<int>(node_of_.size()); }
    int nodes() const;

    /// A communicator with the algorithm of that label, made at the first request. Collective.
    MPI_Comm communicator(const std::string &label);

    /// The most messages, and the most bytes, that any rank sends to other nodes, by the
    /// algorithm's patterns; unknown if it is not an algorithm of the component.
    Sent nonlocal(const std::string &label, std::size_t bytes) const;

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::vector<int> node_of_; ///< by rank of the group
    std::map<std::string, MPI_Comm> communicators_;
};

} // namespace nbrhood_tools::allgather
