// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "flow_support.h"

#include <filesystem>
#include <fstream>

#include "analysis/lockstep.h"

namespace nbrhood::test {

Costs random_costs(Random &random)
{
    const auto cost = [&](double unit) { return unit * draw(random, 0, 20); };
    Costs costs;
    for (LinkCosts &link : costs.links) {
        link = {cost(1e-6), cost(1e-10), cost(2e-6), cost(1e-10)};
    }
    costs.protocol_switch = draw(random, 1, 20000);
    costs.injection_byte = cost(1e-10);
    costs.copy_byte = cost(1e-11);
    costs.phase_latency = cost(1e-6);
    return costs;
}

Costs make_costs(const LinkCosts &inside, const LinkCosts &network, double protocol_switch,
                 double injection_byte, double copy_byte, double phase)
{
    return {{{inside, inside, inside, network}},
            protocol_switch,
            injection_byte,
            copy_byte,
            phase,
            "x"};
}

std::vector<Costs> shipped_costs()
{
    std::vector<Costs> all{default_costs()};
    for (const auto &entry : std::filesystem::directory_iterator(NBRHOOD_COSTS_DIR)) {
        if (entry.path().extension() == ".txt") {
            std::ifstream file(entry.path());
            all.push_back(read_costs(file, entry.path().string()));
        }
    }
    return all;
}

Cluster cluster_of(const Machine &machine, int cores)
{
    const Machine nodes = machine.at(Level::node);
    Cluster cluster;
    for (Rank rank = 0; rank < machine.ranks(); ++rank) {
        cluster.node_of.push_back(nodes.region_of(rank));
        cluster.places.push_back(machine.place(rank));
    }
    for (Region region = 0; region < nodes.regions(); ++region) {
        const int ranks = static_cast<int>(nodes.members(region).size());
        cluster.cores.push_back(cores > 0 ? cores : ranks);
    }
    return cluster;
}

Cluster random_cluster(Random &random, const Machine &machine)
{
    return cluster_of(machine, chance(random, 0.5) ? 0 : draw(random, 1, 4));
}

BlockBytes random_bytes(std::uint64_t seed, std::uint64_t greatest)
{
    return [seed, greatest](Rank rank, std::uint32_t block) -> std::uint64_t {
        const std::uint64_t number =
            mix(mix(seed) ^ (static_cast<std::uint64_t>(rank) << 32 | block));
        return number % 7 == 0 ? 0 : number % (greatest + 1);
    };
}

BlockBytes equal_bytes(std::uint64_t bytes)
{
    return [bytes](Rank, std::uint32_t) { return bytes; };
}

Case::Case(Random &random, int ranks)
    : graph(random_graph(random, ranks)), machine(random_machine(random, ranks)),
      tuning(random_tuning(random)), limits{std::uint64_t{1} << draw(random, 4, 16),
                                            std::uint64_t{1} << draw(random, 4, 14)},
      bytes(random_bytes(random(), std::uint64_t{1} << draw(random, 0, 18))),
      cluster(random_cluster(random, machine)),
      kind(chance(random, 0.5) ? BlockKind::one_per_rank : BlockKind::one_per_edge)
{
    static const std::vector<Costs> kShipped = shipped_costs();
    costs = chance(random, 0.6) ? random_costs(random)
                                : kShipped[static_cast<std::size_t>(random() % kShipped.size())];
}

Flow Case::flow(std::size_t algorithm) const
{
    return Flow(build_all(registry()[algorithm], kind, graph, machine, tuning).patterns, bytes,
                limits);
}

} // namespace nbrhood::test
