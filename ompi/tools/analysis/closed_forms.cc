// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/closed_forms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>

namespace nbrhood {
namespace {

// The time of an exchange from the seconds that each rank works, and the messages of the longest
// chain.
double exchange_seconds(const std::vector<double> &work, int chain, const Cluster &cluster,
                        const Costs &costs)
{
    double busiest = 0;
    std::vector<double> of_nodes(cluster.cores.size(), 0);
    std::vector<int> active(cluster.cores.size(), 0);
    for (std::size_t rank = 0; rank < work.size(); ++rank) {
        busiest = std::max(busiest, work[rank]);
        const auto node = static_cast<std::size_t>(cluster.node_of[rank]);
        of_nodes[node] += work[rank];
        active[node] += work[rank] > 0 ? 1 : 0;
    }
    double seconds = busiest + chain * costs.phase_latency;
    for (std::size_t node = 0; node < of_nodes.size(); ++node) {
        if (active[node] > cluster.cores[node]) {
            seconds = std::max(seconds, (of_nodes[node] + active[node] * costs.phase_latency)
                                            / cluster.cores[node]);
        }
    }
    return seconds;
}

// Seconds of the processor for a message.
struct Ends {
    double source = 0;
    double destination = 0;
};

// Adds up the costs of messages at either end.
template <typename Message, typename Cost>
std::vector<double> work_of_ranks(const std::vector<Message> &messages, const Cluster &cluster,
                                  const Cost &cost)
{
    std::vector<double> work(cluster.node_of.size(), 0);
    for (const Message &message : messages) {
        const Ends ends = cost(message);
        work[static_cast<std::size_t>(message.source)] += ends.source;
        work[static_cast<std::size_t>(message.destination)] += ends.destination;
    }
    return work;
}

// The cost of a message in the postal model, half at each end.
template <typename Message>
Ends postal_ends(const Message &message, const Cluster &cluster, const Costs &costs)
{
    const Link link = cluster.link(message.source, message.destination);
    const double half = end_seconds(costs[link], costs, message.bytes);
    return Ends{half, half};
}

// Bytes that each rank tells all others when a topology is created (build/creation_build.cc).
constexpr double kToldBytes = 32;

// Sums go up a tree and come down, at most twice. Only the records that ranks tell each other with
// the first sum have a relevant number of bytes: on the way down the root sends all of them in each
// round.
double collectives_seconds(bool agrees, const Cluster &cluster, const Costs &costs)
{
    const auto ranks = static_cast<double>(cluster.node_of.size());
    const double depth = std::ceil(std::log2(std::max(1.0, ranks)));
    const double rounds = 2 * depth * (agrees ? 2 : 1);
    return cluster.ranks_per_core()
           * (rounds * (costs.phase_latency + costs[Link::network].message)
              + kToldBytes * ranks * (depth + 1)
                    * std::min(costs[Link::network].byte, costs[Link::network].long_byte));
}

// The bytes that enter and leave each node.
struct Crossing {
    std::int64_t messages_in = 0, messages_out = 0;
    std::uint64_t bytes_in = 0, bytes_out = 0;
};

double injection_seconds(const Crossing &crossing, const Costs &costs)
{
    return static_cast<double>(std::max(crossing.bytes_in, crossing.bytes_out))
           * costs.injection_byte;
}

// The nearest link that any two ranks may have.
Link nearest_link(const Cluster &cluster)
{
    Link nearest = Link::node;
    for (const Place &place : cluster.places) {
        nearest = std::min(nearest, link_between(place, place));
    }
    return nearest;
}

// The least cost of a byte at its destination: it is received, or copied from a block that was
// received once for several slots.
double least_arriving_byte(const Cluster &cluster, const Costs &costs)
{
    const Link nearest = nearest_link(cluster);
    double least = costs.copy_byte;
    for (auto link = static_cast<std::size_t>(nearest); link < kLinks; ++link) {
        least = std::min({least, costs.links[link].byte / 2, costs.links[link].long_byte / 2});
    }
    return least;
}

// The least cost of a message at either end.
double least_end(const Cluster &cluster, const Costs &costs)
{
    double least = std::numeric_limits<double>::infinity();
    for (auto link = static_cast<std::size_t>(nearest_link(cluster)); link < kLinks; ++link) {
        least =
            std::min({least, costs.links[link].message / 2, costs.links[link].long_message / 2});
    }
    return least;
}

// The edges of one node to other nodes.
class NodeEdges {
public:
    NodeEdges(BlockKind kind, const BlockBytes &block_bytes)
        : kind_(kind), block_bytes_(block_bytes)
    {}

    // An edge that leaves the node of `source`; slot: the block of its send buffer.
    void add(Rank source, std::uint32_t slot, std::int32_t node)
    {
        const std::uint32_t block = kind_ == BlockKind::one_per_rank ? 0 : slot;
        if (kind_ == BlockKind::one_per_edge || sent_.insert({source, node}).second) {
            bytes_to_[node] += block_bytes_(source, block);
        }
    }
    const std::map<std::int32_t, std::uint64_t> &bytes_to() const { return bytes_to_; }

private:
    BlockKind kind_;
    const BlockBytes &block_bytes_;
    std::set<std::pair<Rank, std::int32_t>> sent_; // blocks that go to a node anyway
    std::map<std::int32_t, std::uint64_t> bytes_to_;
};

} // namespace

double hockney_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs)
{
    const auto work = work_of_ranks(flow.messages(), cluster, [&](const FlowMessage &message) {
        const double half = end_seconds(costs[Link::network], costs, message.bytes);
        return Ends{half, half};
    });
    return exchange_seconds(work, flow.depth(), cluster, costs);
}

double postal_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs)
{
    const auto work = work_of_ranks(flow.messages(), cluster, [&](const FlowMessage &message) {
        return postal_ends(message, cluster, costs);
    });
    return exchange_seconds(work, flow.depth(), cluster, costs);
}

double max_rate_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs)
{
    const bool shares_cores = cluster.ranks_per_core() > 1;
    std::vector<Crossing> crossings(cluster.cores.size());
    const auto work = work_of_ranks(flow.messages(), cluster, [&](const FlowMessage &message) {
        if (!cluster.local(message.source, message.destination)) {
            const auto node_of = [&](Rank rank) {
                return static_cast<std::size_t>(cluster.node_of[static_cast<std::size_t>(rank)]);
            };
            crossings[node_of(message.source)].bytes_out += message.bytes;
            crossings[node_of(message.destination)].bytes_in += message.bytes;
        }
        const LogGops cost = loggops(message, cluster, costs, shares_cores);
        return Ends{cost.send_overhead, cost.receive_overhead};
    });
    double injection = 0;
    for (const Crossing &crossing : crossings) {
        injection = std::max(injection, injection_seconds(crossing, costs));
    }
    return std::max(exchange_seconds(work, flow.depth(), cluster, costs),
                    flow.depth() * costs.phase_latency + injection);
}

double creation_seconds(const Negotiation &negotiation, const Cluster &cluster, const Costs &costs)
{
    const auto work =
        work_of_ranks(negotiation.messages, cluster, [&](const BuilderMessage &message) {
            return postal_ends(message, cluster, costs);
        });
    return exchange_seconds(work, negotiation.rounds, cluster, costs)
           + collectives_seconds(!negotiation.messages.empty(), cluster, costs);
}

double gathering_seconds(std::int64_t ranks, double receive, double message)
{
    // f rises by one at time `message`; each rise causes two more, one `receive` later and one
    // `message` later.
    std::priority_queue<double, std::vector<double>, std::greater<>> rises;
    rises.push(message);
    double seconds = 0;
    for (std::int64_t known = 1; known < ranks; ++known) {
        seconds = rises.top();
        rises.pop();
        rises.push(seconds + receive);
        rises.push(seconds + message);
    }
    return seconds;
}

LowerBound lower_bound(const std::vector<Neighbourhood> &graph, BlockKind kind,
                       const BlockBytes &block_bytes, const Cluster &cluster, const Costs &costs)
{
    LowerBound bound;
    std::vector<std::vector<Rank>> sources(graph.size()); // the ranks whose blocks a rank gets
    const double least_byte = least_arriving_byte(cluster, costs);
    std::vector<Crossing> crossings(cluster.cores.size());
    std::vector<NodeEdges> edges(cluster.cores.size(), NodeEdges(kind, block_bytes));
    std::vector<double> touching(graph.size(), 0); // seconds, by rank
    for (const Neighbourhood &own : graph) {
        const std::int32_t home = cluster.node_of[static_cast<std::size_t>(own.rank)];
        for (std::uint32_t slot = 0; slot < own.out.size(); ++slot) {
            const Rank peer = own.out[slot].peer;
            const std::uint64_t bytes =
                peer == kNoRank ? 0
                                : block_bytes(own.rank, kind == BlockKind::one_per_rank ? 0 : slot);
            if (bytes == 0) { // relays do not send these
                continue;
            }
            if (peer != own.rank) {
                sources[static_cast<std::size_t>(peer)].push_back(own.rank);
            }
            touching[static_cast<std::size_t>(peer)] +=
                static_cast<double>(bytes) * (peer == own.rank ? costs.copy_byte : least_byte);
            const std::int32_t node = cluster.node_of[static_cast<std::size_t>(peer)];
            if (node != home) {
                edges[static_cast<std::size_t>(home)].add(own.rank, slot, node);
            }
        }
    }
    for (std::size_t home = 0; home < edges.size(); ++home) {
        for (const auto &[node, bytes] : edges[home].bytes_to()) {
            Crossing &there = crossings[static_cast<std::size_t>(node)];
            ++crossings[home].messages_out;
            ++there.messages_in;
            crossings[home].bytes_out += bytes;
            there.bytes_in += bytes;
            ++bound.messages;
            bound.bytes += static_cast<std::int64_t>(bytes);
        }
    }
    for (const double seconds : touching) {
        bound.seconds = std::max(bound.seconds, seconds);
    }
    const LinkCosts &link = costs[Link::network];
    const double message = std::min(link.message, link.long_message);
    const double latency = cluster.ranks_per_core() > 1 ? 0 : costs.phase_latency;
    if (bound.messages > 0) { // at least one message must reach its destination
        bound.seconds = std::max(bound.seconds, message + latency);
    }
    bound.seconds_of_any = bound.seconds;
    std::int64_t most_sources = 0;
    for (std::vector<Rank> &of_rank : sources) { // ascending already
        of_rank.erase(std::unique(of_rank.begin(), of_rank.end()), of_rank.end());
        most_sources = std::max(most_sources, static_cast<std::int64_t>(of_rank.size()));
    }
    const double end = least_end(cluster, costs);
    bound.seconds_of_any =
        std::max(bound.seconds_of_any, gathering_seconds(most_sources + 1, end, 2 * end + latency));
    const std::vector<int> ranks = cluster.ranks_of_nodes();
    for (std::size_t node = 0; node < crossings.size(); ++node) {
        const Crossing &crossing = crossings[node];
        const double workers = std::max(1, std::min(ranks[node], cluster.cores[node]));
        const auto messages = static_cast<double>(crossing.messages_in + crossing.messages_out);
        const double work = messages * message
                            + static_cast<double>(crossing.bytes_in + crossing.bytes_out)
                                  * std::min(link.byte, link.long_byte);
        bound.seconds = std::max({bound.seconds, work / 2 / workers,
                                  std::ceil(messages / workers) * message / 2,
                                  injection_seconds(crossing, costs)});
        bound.seconds_of_any = std::max(bound.seconds_of_any, static_cast<double>(crossing.bytes_in)
                                                                  * costs.injection_byte);
    }
    return bound;
}

} // namespace nbrhood
