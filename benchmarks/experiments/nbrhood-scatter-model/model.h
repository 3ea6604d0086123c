// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The speed-up of leader_scatter on nodes of GPU dies, by the fluid evaluation.
#pragma once

#include "analysis/die_evaluation.h"
#include "graph/neighbourhood.h"
#include "machine/die_links.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools::scatter_model {

/// What is modelled: each rank on a die of its own, node after node.
struct Setting {
    nbrhood::DieLinks links;
    nbrhood::DieCosts costs;
    std::vector<nbrhood::Neighbourhood> graph; ///< by rank
    std::vector<std::uint64_t> bytes;          ///< of blocks
    bool papers_leaders = false;               ///< not nbrhood::kScatterTurns
};

/// A graph as nbrhood-explain's --graph names it.
std::vector<nbrhood::Neighbourhood> named_graph(const std::string &text, int ranks);

/// One rank that sends to others.
std::vector<nbrhood::Neighbourhood> one_source(int ranks, nbrhood::Rank source,
                                               const std::vector<nbrhood::Rank> &destinations);

/// An algorithm, of those with regions with one kind of them.
struct Row {
    std::string name;
    std::vector<nbrhood::DieEvaluation> times; ///< by size, without those of messages
    /// Bytes of a call with the largest blocks, in blocks: into the node, and over the links of a
    /// node in one direction, with the most.
    double blocks_into_node = 0;
    double blocks_over_links = 0;
};

/// Direct first, leader_scatter second, then the other rows of the registry that may gain with
/// large blocks, which they relay as messages of their own, with nodes and with packages as
/// regions.
std::vector<Row> model(const Setting &setting);

} // namespace nbrhood_tools::scatter_model
