// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "flow_counts.h"

#include <algorithm>
#include <map>

namespace nbrhood_tools::explain {

using nbrhood::Flow;
using nbrhood::FlowMessage;
using nbrhood::Rank;

namespace {

Distance distance(const Layout &layout, Rank a, Rank b)
{
    if (!layout.cluster.local(a, b))
        return between_nodes;
    const auto socket = [&](Rank rank) {
        return layout.machine.place(rank).domain(nbrhood::Level::socket);
    };
    return socket(a) == socket(b) ? in_socket : in_node;
}

/// Messages and bytes of one call, by distance.
Counts count(const Flow &flow, const Layout &layout)
{
    const auto sums = [&](auto amount_of) {
        std::vector<Sums> all(distances, Sums(flow.ranks()));
        for (std::size_t m = 0; m < flow.messages().size(); ++m) {
            const FlowMessage &message = flow.messages()[m];
            all[distance(layout, message.source, message.destination)].add(
                message.source, message.destination, static_cast<std::int64_t>(amount_of(m)));
        }
        std::array<Amount, distances> amounts;
        std::transform(all.begin(), all.end(), amounts.begin(),
                       [](const Sums &of_distance) { return of_distance.amount(); });
        return amounts;
    };
    Counts counts;
    counts.messages = sums([](std::size_t) { return 1; });
    counts.bytes = sums([&](std::size_t m) { return flow.messages()[m].bytes; });
    if (!flow.distinct_entries().empty())
        counts.distinct_entries = sums([&](std::size_t m) { return flow.distinct_entries()[m]; });
    return counts;
}

/// Bytes that ranks stage.
Amount staging_of(const Flow &flow)
{
    Amount amount;
    for (Rank rank = 0; rank < flow.ranks(); ++rank) {
        const std::uint64_t bytes = flow.staging_bytes(rank);
        amount.mean += static_cast<double>(bytes) / flow.ranks();
        amount.most = std::max(amount.most, static_cast<std::int64_t>(bytes));
    }
    return amount;
}

/// When each phase has messages in flight, in the order of their beginnings.
std::vector<PhaseSpan> phases_of(const Flow &flow, const std::vector<nbrhood::Interval> &timeline)
{
    std::map<std::uint8_t, PhaseSpan> spans;
    for (const nbrhood::Interval &interval : timeline) {
        if (interval.activity != nbrhood::Activity::send
            && interval.activity != nbrhood::Activity::receive)
            continue;
        const std::uint8_t phase = flow.messages()[interval.message].phase;
        PhaseSpan &span =
            spans.emplace(phase, PhaseSpan{phase, interval.begin, interval.end}).first->second;
        span.begin = std::min(span.begin, interval.begin);
        span.end = std::max(span.end, interval.end);
    }
    std::vector<PhaseSpan> phases;
    phases.reserve(spans.size());
    for (const auto &entry : spans)
        phases.push_back(entry.second);
    std::stable_sort(phases.begin(), phases.end(),
                     [](const PhaseSpan &a, const PhaseSpan &b) { return a.begin < b.begin; });
    return phases;
}

void draw(const Flow &flow, const Layout &layout, AlgorithmReport &report)
{
    const nbrhood::Cluster &cluster = layout.cluster;
    report.messages_by_rank = report.bytes_by_rank = TrafficMatrix(cluster.node_of.size());
    report.messages_by_node = report.bytes_by_node = TrafficMatrix(cluster.cores.size());
    for (const FlowMessage &message : flow.messages()) {
        const auto from = static_cast<std::size_t>(message.source);
        const auto to = static_cast<std::size_t>(message.destination);
        const auto from_node = static_cast<std::size_t>(cluster.node_of[from]);
        const auto to_node = static_cast<std::size_t>(cluster.node_of[to]);
        report.messages_by_rank.add(from, to, 1);
        report.messages_by_node.add(from_node, to_node, 1);
        report.bytes_by_rank.add(from, to, message.bytes);
        report.bytes_by_node.add(from_node, to_node, message.bytes);
    }
    report.phases = phases_of(flow, report.timeline);
    auto &timeline = report.timeline;
    timeline.erase(std::remove_if(timeline.begin(), timeline.end(),
                                  [](const nbrhood::Interval &interval) {
                                      return interval.rank >= timeline_ranks;
                                  }),
                   timeline.end());
}

} // namespace

Sums::Sums(Rank ranks)
    : sent_(static_cast<std::size_t>(ranks), 0), received_(static_cast<std::size_t>(ranks), 0)
{}

void Sums::add(Rank from, Rank to, std::int64_t value)
{
    sent_[static_cast<std::size_t>(from)] += value;
    received_[static_cast<std::size_t>(to)] += value;
}

Amount Sums::amount() const
{
    Amount amount;
    for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
        amount.mean += static_cast<double>(sent_[rank]) / static_cast<double>(sent_.size());
        amount.most = std::max({amount.most, sent_[rank], received_[rank]});
    }
    return amount;
}

std::vector<std::int64_t> each_once(std::vector<std::int64_t> sizes)
{
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

SizeReport &add_size(const Flow &flow, const Layout &layout, const AnalysisSettings &settings,
                     std::int64_t bytes, AlgorithmReport &report)
{
    const nbrhood::Cluster &cluster = layout.cluster;
    const nbrhood::Costs &costs = settings.costs;
    const bool drawn = settings.pictures && report.sizes.empty();
    SizeReport result;
    result.bytes = bytes;
    result.messages = static_cast<std::int64_t>(flow.messages().size());
    result.depth = flow.depth();
    result.counts = count(flow, layout);
    result.staging_bytes = staging_of(flow);
    result.seconds.hockney = nbrhood::hockney_seconds(flow, cluster, costs);
    result.seconds.postal = nbrhood::postal_seconds(flow, cluster, costs);
    result.seconds.max_rate = nbrhood::max_rate_seconds(flow, cluster, costs);
    result.seconds.events =
        nbrhood::evaluate(flow, cluster, costs, drawn ? &report.timeline : nullptr).seconds;
    result.dies = find_dies(flow, layout, settings.die_costs);
    report.sizes.push_back(std::move(result));
    if (drawn)
        draw(flow, layout, report);
    return report.sizes.back();
}

void compare(ScenarioReport &report)
{
    const AlgorithmReport *const base = report.find(report.compared_with);
    if (base == nullptr || base->sizes.empty())
        return;
    for (AlgorithmReport &algorithm : report.algorithms)
        for (std::size_t s = 0; s < algorithm.sizes.size(); ++s) {
            SizeReport &size = algorithm.sizes[s];
            const SizeReport &other = base->sizes[s];
            if (size.seconds.events > 0)
                size.speed_up = other.seconds.events / size.seconds.events;
            if (size.dies && size.dies->times.seconds > 0)
                size.dies->speed_up = other.dies->times.seconds / size.dies->times.seconds;
        }
}

} // namespace nbrhood_tools::explain
