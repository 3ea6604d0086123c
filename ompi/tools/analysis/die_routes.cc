// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/die_routes.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace nbrhood {
namespace {

// The route from one die to another, hop by hop. `narrowest` caches, by die, the narrowest place of
// the widest route.
std::vector<DieStep> find_way(const DieLinks &links, int from, int to)
{
    if (from == to || links.hops(from, to) >= links.dies()) {
        return {};
    }
    // Dies in the order of their distance from `to`, each with the narrowest place of its best
    // route.
    std::vector<int> order;
    for (int die = 0; die < links.dies(); ++die) {
        if (links.hops(die, to) < links.dies()) {
            order.push_back(die);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return links.hops(a, to) < links.hops(b, to); });
    std::map<int, int> width;
    std::map<int, int> next;
    for (const int die : order) {
        int best = die == to ? INT32_MAX : 0;
        for (int over = 0; over < links.dies(); ++over) {
            if (links.links(die, over) > 0 && links.hops(over, to) + 1 == links.hops(die, to)) {
                const int width_over = std::min(links.links(die, over), width.at(over));
                if (width_over > best) {
                    best = width_over;
                    next[die] = over;
                }
            }
        }
        width[die] = best;
    }
    std::vector<DieStep> way;
    for (int die = from; die != to; die = next.at(die)) {
        way.push_back(DieStep{die, next.at(die)});
    }
    return way;
}

} // namespace

DieRoutes::DieRoutes(const DieLinks &links) : dies_(links.dies())
{
    for (int from = 0; from < dies_; ++from) {
        for (int to = 0; to < dies_; ++to) {
            ways_.push_back(find_way(links, from, to));
        }
    }
}

DieCluster::DieCluster(const Machine &machine, DieLinks of_node) : links(std::move(of_node))
{
    std::map<std::int32_t, int> numbers;
    for (Rank rank = 0; rank < machine.ranks(); ++rank) {
        const Place &place = machine.place(rank);
        const int die = place.domain(Level::die) - 1;
        if (die < 0 || die >= links.dies()) {
            throw std::invalid_argument("the GPU die of rank " + std::to_string(rank)
                                        + " is not known");
        }
        node_of.push_back(numbers.emplace(place.node, numbers.size()).first->second);
        die_of.push_back(die);
    }
    nodes = static_cast<int>(numbers.size());
}

DieTraffic count_die_traffic(const Flow &flow, const DieCluster &cluster)
{
    const DieRoutes routes(cluster.links);
    const auto dies = static_cast<std::size_t>(routes.dies());
    const auto nodes = static_cast<std::size_t>(cluster.nodes);
    std::vector<std::vector<std::uint64_t>> by_node(nodes,
                                                    std::vector<std::uint64_t>(dies * dies, 0));
    DieTraffic traffic;
    traffic.enters.assign(nodes, 0);
    traffic.leaves.assign(nodes, 0);
    for (const FlowMessage &message : flow.messages()) {
        const auto from = static_cast<std::size_t>(cluster.node(message.source));
        const auto to = static_cast<std::size_t>(cluster.node(message.destination));
        if (from != to) {
            traffic.leaves[from] += message.bytes;
            traffic.enters[to] += message.bytes;
            continue;
        }
        const int source = cluster.die(message.source);
        const int destination = cluster.die(message.destination);
        const std::vector<DieStep> &way = routes.way(source, destination);
        for (const DieStep &step : way) {
            by_node[from][static_cast<std::size_t>(step.from) * dies
                          + static_cast<std::size_t>(step.to)] += message.bytes;
        }
        if (way.empty() && source != destination) {
            traffic.host += message.bytes;
        }
    }
    traffic.link_sum.assign(dies * dies, 0);
    traffic.link_most.assign(dies * dies, 0);
    for (const auto &links : by_node) {
        for (std::size_t pair = 0; pair < links.size(); ++pair) {
            traffic.link_sum[pair] += links[pair];
            traffic.link_most[pair] = std::max(traffic.link_most[pair], links[pair]);
        }
    }
    return traffic;
}

} // namespace nbrhood
