// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/graph_summary.h"

#include <algorithm>
#include <limits>

#include "build/role_waves.h"

namespace nbrhood {
namespace {

constexpr std::int64_t GraphSummary::*kEnds[] = {
    &GraphSummary::senders, &GraphSummary::receivers, &GraphSummary::nonlocal_senders,
    &GraphSummary::nonlocal_receivers, &GraphSummary::destination_nodes};
constexpr std::int64_t kMostEnds = std::int64_t{1} << 48; // far more than possible

} // namespace

void GraphSummary::merge(const GraphSummary &other)
{
    survey.merge(other.survey);
    for (const auto number : kEnds) {
        this->*number += other.*number;
    }
    nodes.merge(other.nodes);
    node_pairs.merge(other.node_pairs);
}

void GraphSummary::put(WordWriter &words) const
{
    survey.put(words);
    for (const auto number : kEnds) {
        words.put_long(this->*number);
    }
    nodes.put(words);
    node_pairs.put(words);
}

GraphSummary GraphSummary::take(WordReader &words)
{
    GraphSummary taken;
    taken.survey = Survey::take(words);
    for (const auto number : kEnds) {
        taken.*number = words.take_long(0, kMostEnds);
    }
    taken.nodes = DistinctCount::take(words);
    taken.node_pairs = DistinctCount::take(words);
    return taken;
}

std::optional<Survey> GraphSummary::estimate() const
{
    const std::optional<std::int64_t> regions = nodes.count();
    const std::optional<std::int64_t> pairs = node_pairs.count();
    if (!regions || !pairs) {
        return std::nullopt;
    }
    Survey all = survey;
    all.facts.regions = static_cast<int>(std::max<std::int64_t>(*regions, 1));
    all.facts.regions_of_node = 1;
    all.facts.within_regions = Link::node;
    all.facts.ends = {senders,
                      receivers,
                      nonlocal_senders,
                      nonlocal_receivers,
                      destination_nodes,
                      std::min({*pairs, *regions * (*regions - 1), survey.facts.edges_nonlocal})};
    return all;
}

void Refusal::put(WordWriter &words) const
{
    words.put(static_cast<std::int32_t>(reason));
    words.put_long(call_blocks);
    words.put_long(call_bytes);
}

Refusal Refusal::take(WordReader &words)
{
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    Refusal taken;
    taken.reason = static_cast<Reason>(words.take(static_cast<std::int32_t>(Reason::none),
                                                  static_cast<std::int32_t>(Reason::cannot_build)));
    taken.call_blocks = words.take_long(0, kMost);
    taken.call_bytes = words.take_long(0, kMost);
    return taken;
}

RankSummary::RankSummary(const Neighbourhood &neighbourhood, const Settings &settings,
                         std::int32_t node, const std::function<Locality(Rank)> &locality)
    : node_(node), destinations_(peers_of(neighbourhood.out))
{
    summary_.survey = survey_of(neighbourhood, settings, [&](Rank peer) {
        return locality(peer) == Locality::elsewhere ? Locality::elsewhere : Locality::same_region;
    });
    const auto look = [&](const std::vector<EdgeEnd> &ends, std::int64_t &some,
                          std::int64_t &nonlocal) {
        for (const EdgeEnd &end : ends) {
            if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
                ++some;
                nonlocal += locality(end.peer) == Locality::elsewhere ? 1 : 0;
            }
        }
    };
    look(neighbourhood.out, summary_.senders, summary_.nonlocal_senders);
    look(neighbourhood.in, summary_.receivers, summary_.nonlocal_receivers);
    // In-edges are counted here; a survey only guesses that they are as many as out-edges.
    const auto mean = [](std::int64_t out, std::int64_t in) { return (out + in + 1) / 2; };
    Facts &facts = summary_.survey.facts;
    facts.busiest_edges = mean(summary_.senders, summary_.receivers);
    facts.busiest_nonlocal = facts.busiest_network =
        mean(summary_.nonlocal_senders, summary_.nonlocal_receivers);
    for (const auto number : kEnds) {
        summary_.*number = std::min<std::int64_t>(1, summary_.*number);
    }
    summary_.nodes.add(static_cast<std::uint32_t>(node));
}

void RankSummary::add_neighbour(Rank neighbour, std::int32_t node)
{
    if (node != node_
        && std::binary_search(destinations_.begin(), destinations_.end(), neighbour)) {
        summary_.node_pairs.add(mix(static_cast<std::uint32_t>(node_))
                                ^ static_cast<std::uint32_t>(node));
        summary_.destination_nodes += destination_nodes_.insert(node).second ? 1 : 0;
    }
}

} // namespace nbrhood
