// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One rank's part of a communication graph, and where graphs come from.
#ifndef NBRHOOD_COMMON_GRAPH_H
#define NBRHOOD_COMMON_GRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools {

/// One rank's edges, in the order in which they are given to MPI_Dist_graph_create_adjacent.
/// Counts are in entries; how many bytes an entry has is decided by the measurement.
struct Neighbourhood {
    std::vector<int> sources;
    std::vector<int> source_counts; ///< entries received over each in-edge
    std::vector<int> destinations;
    std::vector<int> destination_counts; ///< entries sent over each out-edge
    int own_entries = 1;                 ///< entries the rank owns: what an allgatherv sends
    std::vector<int> source_own_entries; ///< own_entries of each source
    /// For each out-edge which of the rank's own entries it carries, ascending and each once; for
    /// each in-edge the same in the numbers of its source.
    std::vector<std::vector<int>> destination_entries, source_entries;
};

enum class GraphKind {
    random_sparse,
    random_degree,
    power_law,
    moore,
    ring,
    cliques,
    hubs,
    matrix,
    mesh
};

/// A parsed --graph argument.
struct GraphSpec {
    GraphKind kind = GraphKind::ring;
    std::string text;   ///< as the user gave it
    double density = 0; ///< of rsg
    double degree = 0;  ///< mean degree of degree and power
    std::uint64_t seed = 1;
    int dimensions = 0;
    int radius = 0; ///< Moore radius, or the K of ring:K, cliques:K and hubs:K
    std::string file;

    /// True when the number of entries on each edge comes from a file (unit: --entry-bytes).
    bool has_counts() const { return kind == GraphKind::matrix || kind == GraphKind::mesh; }
    /// A short name for tables: the text, without the directories of a file.
    std::string short_name() const;
};

/// Parses one --graph argument. Throws OptionError that says what is wrong and what forms there
/// are.
GraphSpec parse_graph_spec(const std::string &text);

} // namespace nbrhood_tools

#endif
