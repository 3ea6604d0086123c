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

/// The setting: each rank on a die of its own, node after node.
struct Setting {
    nbrhood::DieLinks links;
    nbrhood::DieCosts costs;
    std::vector<nbrhood::Neighbourhood> graph; ///< by rank
    std::vector<std::uint64_t> bytes;          ///< of blocks
    bool papers_leaders = false;               ///< not nbrhood::kScatterTurns
};

/// A graph in the form of nbrhood-explain's --graph.
std::vector<nbrhood::Neighbourhood> named_graph(const std::string &text, int ranks);

/// One rank that sends to others.
std::vector<nbrhood::Neighbourhood> one_source(int ranks, nbrhood::Rank source,
                                               const std::vector<nbrhood::Rank> &destinations);

/// An algorithm and, if it uses regions, one kind of regions.
struct Row {
    std::string name;
    std::vector<nbrhood::DieEvaluation> times; ///< by size, without those of messages
    /// Bytes of a call with the largest blocks, in units of blocks: the maximum into a node, and
    /// the maximum over the links of a node in one direction.
    double blocks_into_node = 0;
    double blocks_over_links = 0;
};

/// Direct first, leader_scatter second, then the other rows of the registry that may gain with
/// large blocks, with nodes and with packages as regions. These rows relay large blocks as messages
/// of their own.
std::vector<Row> model(const Setting &setting);

} // namespace nbrhood_tools::scatter_model
