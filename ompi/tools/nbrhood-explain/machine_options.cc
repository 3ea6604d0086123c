// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine_options.h"

#include "common/bounds.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace nbrhood_tools::explain {

void add_machine_options(CLI::App &app, MachineOptions &options)
{
    constexpr auto most_nodes = static_cast<int>(nbrhood_tools::most_nodes);
    constexpr auto most_ranks = static_cast<int>(nbrhood_tools::most_ranks);
    const char *const group = "Machine";
    app.add_option("--machine", options.machine,
                   "identical nodes, in one line: \"node:60 socket:2 numa:2 core:9\"")
        ->group(group);
    app.add_option("--hwloc", options.topology_file,
                   "one node's topology, as lstopo FILE.xml writes it")
        ->group(group);
    app.add_option("--nodes", options.nodes, "number of such nodes (with --hwloc)")
        ->check(CLI::Range(1, most_nodes))
        ->group(group);
    app.add_option("--hostfile", options.hostfile,
                   "hostfile of Open MPI: NAME slots=N [max_slots=N] per line, and [sockets=N] of "
                   "the node, [cores=N] of each socket")
        ->group(group);
    app.add_option("--gpu-topology", options.gpu_topology,
                   "the GPU dies of each node: TABLE or TABLE,XML, as coll_nbrhood_gpu_topology")
        ->group(group);
    app.add_option("-n,--ranks", options.ranks, "number of ranks (default: one on each slot)")
        ->check(CLI::Range(1, most_ranks))
        ->group(group);
    app.add_option("--ranks-per-node", options.ranks_per_node,
                   "ranks on each node (default: its slots, else its cores)")
        ->check(CLI::Range(1, most_ranks))
        ->group(group);
    app.add_option_function<std::string>(
           "--map-by",
           [&options](const std::string &name) {
               options.placement =
                   name == "node" ? nbrhood::Placement::by_node : nbrhood::Placement::by_slot;
           },
           "ranks fill node after node (slot), or go round robin (node)")
        ->check(CLI::IsMember({"slot", "node"}))
        ->default_str("slot")
        ->group(group);
    std::vector<std::string> levels;
    levels.reserve(nbrhood::kLevels);
    for (int level = 0; level < nbrhood::kLevels; ++level)
        levels.emplace_back(nbrhood::level_name(level));
    app.add_option_function<std::string>(
           "--region",
           [&options, levels](const std::string &name) {
               options.region = static_cast<nbrhood::Level>(
                   std::find(levels.begin(), levels.end(), name) - levels.begin());
           },
           "domain within which messages are cheap")
        ->check(CLI::IsMember(levels))
        ->default_str(levels.front())
        ->group(group);
}

} // namespace nbrhood_tools::explain
