// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The communicators that are compared on one graph.
#pragma once

#include "exchange.h"

#include "common/graph.h"
#include "measuring/communicators.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// A communicator, and the way in which an operation is carried out on it.
struct Contender : Candidate {
    Way way = Way::call;

    /// Whether the component may learn from the first calls what it does later.
    bool learns(Operation operation) const;
};

/// A communicator for the calls of an operation. Collective over `comm`. The caller frees it.
MPI_Comm create_communicator(Operation operation, const Neighbourhood &part,
                             const std::string &label, MPI_Comm comm);

/// All communicators for the operations on one graph.
class Contenders {
public:
    /// Creates those that the operations need, `creations` times each. `ways`: ways in which
    /// operations that name all ranks are carried out besides calls. Collective over `comm`.
    /// staged: Open MPI's own neighbourhood collectives must not get the buffers.
    Contenders(const Neighbourhood &part, const std::vector<Operation> &operations,
               const std::vector<std::string> &labels, const std::vector<Way> &ways, bool staged,
               int creations, MPI_Comm comm);
    ~Contenders();
    Contenders(const Contenders &) = delete;
    Contenders &operator=(const Contenders &) = delete;

    /// The contenders of an operation; the first one is stock. They do not own their communicators.
    std::vector<Contender> of(Operation operation) const;

private:
    std::vector<Way> ways_;
    bool staged_;
    std::vector<Candidate> topologies_; ///< with the graph
    std::vector<Candidate> duplicates_; ///< without a topology
};

} // namespace nbrhood_tools::bench
