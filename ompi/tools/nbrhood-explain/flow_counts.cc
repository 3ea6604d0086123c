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

Counts count(const Flow &flow, const Layout &layout)
{
    std::vector<Sums> messages(distances, Sums(flow.ranks()));
    std::vector<Sums> bytes(distances, Sums(flow.ranks()));
    for (const FlowMessage &message : flow.messages()) {
        const Distance far = distance(layout, message.source, message.destination);
        messages[far].add(message.source, message.destination, 1);
        bytes[far].add(message.source, message.destination,
                       static_cast<std::int64_t>(message.bytes));
    }
    Counts counts;
    for (std::size_t far = 0; far < distances; ++far) {
        counts.messages[far] = messages[far].amount();
        counts.bytes[far] = bytes[far].amount();
    }
    return counts;
}

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

} // namespace nbrhood_tools::explain
