// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine_input.h"

#include "gpu_topology.h"
#include "hostfile.h"
#include "topology_file.h"

#include "common/bounds.h"
#include "common/error.h"

#include <algorithm>
#include <stdexcept>

namespace nbrhood_tools::explain {

namespace {

using nbrhood::Rank;

void check_options(const MachineOptions &options)
{
    const int given = (options.machine.empty() ? 0 : 1) + (options.topology_file.empty() ? 0 : 1)
                      + (options.hostfile.empty() ? 0 : 1);
    if (given == 0)
        throw OptionError("no machine: describe one with --machine, --hwloc or --hostfile");
    if (given > 1)
        throw OptionError("--machine, --hwloc and --hostfile each describe a machine: give one");
    if (options.topology_file.empty() && options.nodes != 0)
        throw OptionError("--nodes is for --hwloc only, which describes one node");
    if (!options.topology_file.empty() && options.nodes == 0)
        throw OptionError("--hwloc describes one node: say with --nodes how many there are");
}

std::vector<Node> equal_nodes(int count, std::vector<Core> cores)
{
    Node node;
    node.slots = static_cast<int>(cores.size());
    node.cores = std::make_shared<const std::vector<Core>>(std::move(cores));
    std::vector<Node> nodes(static_cast<std::size_t>(count), node);
    for (std::size_t number = 0; number < nodes.size(); ++number)
        nodes[number].name = "node" + std::to_string(number);
    return nodes;
}

std::vector<Node> synthetic_nodes(const std::string &text)
{
    try {
        const nbrhood::SyntheticMachine machine(text);
        const int count = machine.place(machine.slots() - 1).node + 1;
        if (count > most_nodes)
            throw std::invalid_argument("more than " + std::to_string(most_nodes) + " nodes");
        std::vector<Core> cores;
        cores.reserve(static_cast<std::size_t>(machine.slots() / count));
        for (Rank slot = 0; slot < machine.slots() / count; ++slot)
            cores.push_back(machine.place(slot).domains);
        return equal_nodes(count, std::move(cores));
    } catch (const std::invalid_argument &error) {
        throw OptionError("--machine \"" + text + "\": " + error.what());
    }
}

std::vector<Node> read_nodes(const MachineOptions &options)
{
    if (!options.machine.empty())
        return synthetic_nodes(options.machine);
    if (!options.topology_file.empty())
        return equal_nodes(options.nodes, read_topology_file(options.topology_file));
    return read_hostfile(options.hostfile);
}

/// The node of each rank.
std::vector<std::int32_t> place_ranks(const std::vector<Node> &nodes, const MachineOptions &options)
{
    std::vector<int> sizes;
    std::int64_t room = 0;
    for (const Node &node : nodes) {
        const int size = options.ranks_per_node > 0 ? options.ranks_per_node : node.slots;
        if (node.most_ranks > 0 && size > node.most_ranks)
            throw InputError(options.hostfile, node.line,
                             node.name + " takes at most " + std::to_string(node.most_ranks)
                                 + " ranks (max_slots), not the " + std::to_string(size)
                                 + " of --ranks-per-node");
        sizes.push_back(size);
        room += size;
    }
    if (room > most_ranks)
        throw OptionError("the machine would hold " + std::to_string(room) + " ranks, more than "
                          + std::to_string(most_ranks));
    if (options.ranks > room)
        throw OptionError("--ranks " + std::to_string(options.ranks) + ": the machine has room for "
                          + std::to_string(room) + "; --ranks-per-node puts more on each node");
    std::vector<std::int32_t> node_of = nbrhood::deal_out(sizes, options.placement);
    if (options.ranks > 0)
        node_of.resize(static_cast<std::size_t>(options.ranks));
    return node_of;
}

} // namespace

DescribedMachine describe_machine(const MachineOptions &options)
{
    check_options(options);
    const std::vector<Node> nodes = read_nodes(options);
    const std::vector<std::int32_t> node_of = place_ranks(nodes, options);

    DescribedMachine machine;
    for (const Node &node : nodes) {
        machine.cores.push_back(static_cast<int>(node.cores->size()));
        machine.names.push_back(node.name);
    }
    std::vector<std::int64_t> ranks_on(nodes.size(), 0);
    for (std::int32_t node : node_of)
        ++ranks_on[static_cast<std::size_t>(node)];

    std::vector<std::int64_t> placed_on(nodes.size(), 0);
    for (std::int32_t node : node_of) {
        const auto at = static_cast<std::size_t>(node);
        const std::vector<Core> &cores = *nodes[at].cores;
        const auto room = static_cast<std::int64_t>(cores.size());
        // If there are no more ranks than cores: core after core.
        const std::int64_t number = placed_on[at]++ * room / std::max(ranks_on[at], room);
        machine.rank_cores.push_back(static_cast<std::int32_t>(number));
        machine.places.push_back({node, cores[static_cast<std::size_t>(number)]});
    }
    if (!options.gpu_topology.empty()) {
        machine.dies = read_gpu_topology(options.gpu_topology, options.machine);
        put_on_dies(machine.dies, machine.places);
    }
    return machine;
}

} // namespace nbrhood_tools::explain
