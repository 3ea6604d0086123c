// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A graph on a machine, described or recorded in a real run.
#pragma once

#include "machine_input.h"

#include "analysis/evaluation.h"
#include "common/graph_input.h"
#include "machine/die_table.h"
#include "pattern/pattern.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// A machine with the ranks on it, in the terms of the core.
struct Layout {
    std::string description; ///< for people
    nbrhood::Machine machine;
    nbrhood::Cluster cluster;
    bool has_sockets = false; ///< some node has several sockets
    nbrhood::DieTable dies;   ///< of each node; without dies if they are not known
};

/// The patterns of all ranks as a run recorded them.
struct Recording {
    std::string directory;
    std::string algorithm;
    std::vector<nbrhood::Pattern> patterns; ///< by rank
    std::uint64_t combining_threshold = 0;  ///< T, bytes
    std::uint64_t packing_threshold = 0;    ///< P, bytes
};

struct Scenario {
    std::string name;   ///< of the graph
    double density = 0; ///< edges divided by ordered pairs of ranks
    nbrhood::BlockKind kind = nbrhood::BlockKind::one_per_edge;
    bool has_counts = false; ///< blocks have different numbers of entries
    std::vector<nbrhood::Neighbourhood> graph;
    /// The entries of each rank's send blocks, by rank (one_per_rank: one block).
    std::vector<std::vector<std::int64_t>> entries;
    /// The numbers of these entries among those of the rank; empty if they are not known.
    std::vector<std::vector<std::vector<int>>> entry_numbers;

    /// Entries of a block, mean over the edges.
    double mean_entries() const;
};

/// The regions and cores of a described machine.
Layout make_layout(const DescribedMachine &described, const MachineOptions &options);

/// A graph for all ranks of a machine. Throws InputError if its file is unusable.
Scenario make_scenario(const GraphSpec &spec, int ranks, nbrhood::BlockKind kind);

/// Reads the directory of one pattern that a run recorded with coll_nbrhood_dump. Every block has
/// one entry. Throws InputError, which names file, line and reason.
void read_recorded_run(const std::string &directory, Layout &layout, Scenario &scenario,
                       Recording &recording);

} // namespace nbrhood_tools::explain
