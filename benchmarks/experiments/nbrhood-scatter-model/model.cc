// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "model.h"

#include "analysis/gpu_nodes.h"
#include "analysis/lockstep.h"
#include "common/graph_input.h"
#include "algorithms/leader_scatter/leader_scatter.h"
#include "select/selection.h"

#include <algorithm>
#include <memory>

namespace nbrhood_tools::scatter_model {

namespace {

using nbrhood::BlockKind;
using nbrhood::Level;
using nbrhood::Rank;

/// The maxima of the bytes into nodes and over links, in blocks.
void count(const nbrhood::Flow &flow, const nbrhood::DieCluster &cluster, double block, Row &row)
{
    const nbrhood::DieTraffic traffic = nbrhood::count_die_traffic(flow, cluster);
    for (const std::uint64_t bytes : traffic.enters)
        row.blocks_into_node = std::max(row.blocks_into_node, static_cast<double>(bytes) / block);
    for (const std::uint64_t bytes : traffic.link_most)
        row.blocks_over_links = std::max(row.blocks_over_links, static_cast<double>(bytes) / block);
}

Row model_row(const Setting &setting, const nbrhood::Algorithm &algorithm, Level region)
{
    const auto ranks = static_cast<int>(setting.graph.size());
    const nbrhood::Machine machine =
        nbrhood::machine_of_dies(ranks / setting.links.dies(), setting.links).at(region);
    const nbrhood::DieCluster cluster(machine, setting.links);
    nbrhood::Tuning tuning{{}, 1, 1e6};
    tuning.values.set(nbrhood::kScatterTurns, !setting.papers_leaders);
    const nbrhood::GraphPatterns built =
        nbrhood::build_all(algorithm, BlockKind::one_per_rank, setting.graph, machine, tuning,
                           std::make_shared<const nbrhood::DieLinks>(setting.links));
    // leader_scatter serves blocks larger than T, the other rows those that are not.
    nbrhood::FlowLimits limits;
    limits.combining = algorithm.above != nullptr ? 0 : UINT64_MAX;
    Row row;
    row.name = algorithm.name;
    if (algorithm.make_builder != nullptr && algorithm.above == nullptr)
        row.name += std::string(", ") + nbrhood::level_name(static_cast<int>(region)) + "s";
    for (const std::uint64_t bytes : setting.bytes) {
        const nbrhood::Flow flow(
            built.patterns, [bytes](Rank, std::uint32_t) { return bytes; }, limits);
        row.times.push_back(nbrhood::evaluate(flow, cluster, setting.costs));
        row.times.back().finished.clear();
        if (bytes == setting.bytes.back())
            count(flow, cluster, static_cast<double>(bytes), row);
    }
    return row;
}

} // namespace

std::vector<nbrhood::Neighbourhood> named_graph(const std::string &text, int ranks)
{
    const BlockSizes sizes{BlockKind::one_per_rank, 1, 1};
    return make_graph_input(parse_graph_spec(text), ranks, sizes).neighbourhoods;
}

std::vector<nbrhood::Neighbourhood> one_source(int ranks, Rank source,
                                               const std::vector<Rank> &destinations)
{
    std::vector<nbrhood::Neighbourhood> graph;
    for (Rank rank = 0; rank < ranks; ++rank) {
        const bool receives =
            std::find(destinations.begin(), destinations.end(), rank) != destinations.end();
        graph.push_back(nbrhood::match_by_order(
            rank, receives ? std::vector<Rank>{source} : std::vector<Rank>{},
            rank == source ? destinations : std::vector<Rank>{}));
    }
    return graph;
}

std::vector<Row> model(const Setting &setting)
{
    const auto row = [&](const char *name, Level region) {
        return model_row(setting, nbrhood::row_of(nbrhood::find_choice(name)), region);
    };
    std::vector<Row> rows{row("direct", Level::node), row("leader_scatter", Level::node)};
    for (const char *name : {"two_step", "aggregated"})
        for (const Level region : {Level::node, Level::gpu})
            rows.push_back(row(name, region));
    return rows;
}

} // namespace nbrhood_tools::scatter_model
