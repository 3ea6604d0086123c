// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The tables of nbrhood-scatter-model: the cases, and their results.
#pragma once

#include "model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools::scatter_model {

/// A cluster of the paper.
struct ClusterCase {
    std::string name; ///< "A"
    nbrhood::DieLinks links;
    nbrhood::DieCosts costs;
    int most_ranks = 0; ///< used in the paper on this cluster
};

/// A graph on a cluster: means over several random ones.
struct Case {
    std::string cluster;
    int ranks = 0;
    std::string graph;
    std::string published; ///< the paper's result, as text
    std::vector<std::uint64_t> bytes;
    std::vector<Row> rows; ///< of the last graph, but for:
    /// The speed-ups of leader_scatter over direct, and over the fastest of the other rows, by
    /// size; geometric means.
    std::vector<double> over_direct, over_best;
    std::vector<std::string> best; ///< by size: the fastest other row, for the last graph
    double most = 0;               ///< over direct, of any size and graph
    double into_node = 0;          ///< factor by which fewer bytes enter the busiest node
};

/// All cases with up to `most_ranks` ranks; there are `seeds` random graphs of up to 32 ranks, and
/// one of each larger size.
std::vector<Case> run_cases(const std::vector<ClusterCase> &clusters, bool papers_leaders,
                            int most_ranks, int seeds);

/// Figure 2 of the paper, by block size: the two dies of a package get halves and exchange them.
struct FigureTwo {
    std::string what;
    std::vector<std::uint64_t> bytes;
    std::vector<double> over_direct;
};
std::vector<FigureTwo> run_figure_two(const nbrhood::DieCosts &costs);

/// "leader_scatter's links 95 %": the share of a call during which the busiest place of each kind
/// works.
std::string limits_text(const nbrhood::DieEvaluation &times);

} // namespace nbrhood_tools::scatter_model
