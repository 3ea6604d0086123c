// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Machines that are described instead of run on.
#pragma once

#include "machine/die_table.h"
#include "machine/machine.h"
#include "machine/synthetic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// The options that describe a machine: exactly one of the first three texts, with `nodes` if it is
/// `topology_file`. 0 and empty mean not given; no number is negative.
struct MachineOptions {
    std::string machine;       ///< --machine, as nbrhood::SyntheticMachine reads it
    std::string topology_file; ///< --hwloc, one node
    std::string hostfile;      ///< --hostfile
    std::string gpu_topology;  ///< --gpu-topology, of each node
    int nodes = 0;             ///< --nodes, of --hwloc
    int ranks = 0;             ///< --ranks (default: all slots)
    int ranks_per_node = 0;    ///< --ranks-per-node (default: the node's slots)
    nbrhood::Placement placement = nbrhood::Placement::by_slot; ///< --map-by
    nbrhood::Level region = nbrhood::Level::node; ///< --region, whose domains are the regions
};

/// A machine with its ranks on it. A node of R ranks and C cores has its i-th rank on its i-th core
/// or, if it has more ranks than cores, on core i * C / R.
struct DescribedMachine {
    /// By rank; nodes are numbered as described. A domain is nbrhood::kNoDomain if a topology has
    /// none for the core, and kNoSuchLevel if another description does not give it.
    std::vector<nbrhood::Place> places;
    std::vector<std::int32_t> rank_cores; ///< by rank, numbered within the node
    std::vector<int> cores;               ///< by node, also of nodes that have no rank
    std::vector<std::string> names;       ///< by node
    nbrhood::DieTable dies;               ///< of each node; without dies if none are described
};

/// Reads the description and puts the ranks on it. Throws OptionError if options contradict each
/// other or the described machine, InputError if a file is unusable.
DescribedMachine describe_machine(const MachineOptions &options);

} // namespace nbrhood_tools::explain
