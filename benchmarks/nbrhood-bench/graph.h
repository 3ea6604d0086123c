// One rank's part of a communication graph, and where graphs come from.
#ifndef NBRHOOD_BENCH_GRAPH_H
#define NBRHOOD_BENCH_GRAPH_H

#include "mpi_headers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_bench {

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

/// What the whole graph looks like; the same on every rank.
struct GraphFacts {
    std::int64_t edges = 0;
    double mean_degree = 0;           ///< out-edges a rank
    int max_degree = 0;               ///< the larger of in- and out-degree, over all ranks
    int isolated_ranks = 0;           ///< ranks with no edge at all
    double mean_entries = 0;          ///< entries an edge carries
    int max_entries = 0;              ///< what alltoall, which has one size for all, must use
    int max_own_entries = 0;          ///< what allgather, which has one size for all, must use
    double mean_gathered_entries = 0; ///< entries an edge carries in an allgatherv
};

enum class GraphKind { random_sparse, moore, ring, matrix, mesh };

/// A parsed --graph argument.
struct GraphSpec {
    GraphKind kind = GraphKind::ring;
    std::string text; ///< as the user gave it
    double density = 0;
    std::uint64_t seed = 1;
    int dimensions = 0;
    int radius = 0; ///< Moore radius, or the K of ring:K
    std::string file;

    /// True when the number of entries on each edge comes from a file (unit: --entry-bytes).
    bool has_counts() const { return kind == GraphKind::matrix || kind == GraphKind::mesh; }
    /// A short name for tables: the text, without the folders of a file.
    std::string short_name() const;
};

/// Parses one --graph argument. Throws OptionError that says what is wrong and what forms there
/// are.
GraphSpec parse_graph_spec(const std::string &text);

/// Builds this rank's part of the graph. Collective over `comm`. Files are read on rank 0 only.
/// Throws InputError on every rank alike when the file is unusable.
Neighbourhood make_neighbourhood(const GraphSpec &spec, MPI_Comm comm);

/// Summarises the graph. Collective over `comm`.
GraphFacts summarise(const Neighbourhood &part, MPI_Comm comm);

} // namespace nbrhood_bench

#endif
