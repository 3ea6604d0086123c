// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Communication graphs: what --graph takes, and the parts of ranks, made without MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools {

/// One rank's edges, in the order in which they are given to MPI_Dist_graph_create_adjacent. Counts
/// are in entries; the measurement sets the bytes of an entry.
struct Neighbourhood {
    std::vector<int> sources;
    std::vector<int> source_counts; ///< entries received over each in-edge
    std::vector<int> destinations;
    std::vector<int> destination_counts; ///< entries sent over each out-edge
    int own_entries = 1;                 ///< entries that the rank owns, which an allgatherv sends
    std::vector<int> source_own_entries; ///< own_entries of each source
    /// For each out-edge the numbers of the rank's own entries that it carries, ascending and each
    /// once; for each in-edge likewise, in the numbering of its source.
    std::vector<std::vector<int>> destination_entries, source_entries;
};

/// A row of the table of graph kinds (graph.cc).
struct GraphKind;

/// A parsed --graph argument.
struct GraphSpec {
    const GraphKind *kind = nullptr;
    std::string text;   ///< as the user gave it
    double density = 0; ///< of rsg
    double degree = 0;  ///< mean degree of degree and power
    std::uint64_t seed = 1;
    int dimensions = 0;
    int radius = 0; ///< Moore radius, or the K of ring:K, cliques:K and hubs:K
    std::string file;

    /// True when the number of entries on each edge comes from a file (unit: --entry-bytes).
    bool has_counts() const { return !file.empty(); }
    /// A short name for tables: the text, without the directories of a file.
    std::string short_name() const;
};

/// Parses one --graph argument. Throws OptionError with the mistake and the possible forms.
GraphSpec parse_graph_spec(const std::string &text);

/// A paragraph of a program's help: the heading "Graphs" and a line or two for each kind of graph.
std::string graph_help();

/// The part of rank `rank` of `ranks` in a graph that is computed (not spec.has_counts()).
Neighbourhood compute_neighbourhood(const GraphSpec &spec, int rank, int ranks);

/// Throws InputError if a computed graph over all these ranks would have more edges than
/// most_edges, or take too long to compute. Called if one process makes all parts.
void check_graph_size(const GraphSpec &spec, int ranks);

/// The parts of all ranks, by rank. In MPI programs called on rank 0 only. Throws InputError when
/// the graph's file is unusable or check_graph_size() refuses the graph.
std::vector<Neighbourhood> make_all_neighbourhoods(const GraphSpec &spec, int ranks);

} // namespace nbrhood_tools
