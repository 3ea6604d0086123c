// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "scenario.h"

#include "analysis/recorded_run.h"
#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace nbrhood_tools::explain {

namespace {

std::int64_t count_edges(const std::vector<nbrhood::Neighbourhood> &graph)
{
    std::int64_t edges = 0;
    for (const nbrhood::Neighbourhood &own : graph)
        edges += std::count_if(own.out.begin(), own.out.end(), [](const nbrhood::EdgeEnd &end) {
            return end.peer != nbrhood::kNoRank;
        });
    return edges;
}

double density_of(const std::vector<nbrhood::Neighbourhood> &graph)
{
    const auto ranks = static_cast<double>(graph.size());
    return graph.size() < 2 ? 0 : static_cast<double>(count_edges(graph)) / (ranks * (ranks - 1));
}

/// Numbers the nodes of places from 0.
std::vector<std::int32_t> number_nodes(const std::vector<nbrhood::Place> &places)
{
    std::map<std::int32_t, std::int32_t> numbers;
    std::vector<std::int32_t> node_of;
    for (const nbrhood::Place &place : places) {
        const auto next = static_cast<std::int32_t>(numbers.size());
        node_of.push_back(numbers.emplace(place.node, next).first->second);
    }
    return node_of;
}

/// Whether some node has several sockets.
bool have_sockets(const std::vector<nbrhood::Place> &places)
{
    return std::any_of(places.begin(), places.end(), [](const nbrhood::Place &place) {
        return place.domain(nbrhood::Level::socket) > 1;
    });
}

nbrhood::Level level_of(const std::string &directory, const std::string &name)
{
    int level = 0;
    while (nbrhood::level_name(level) != nullptr && name != nbrhood::level_name(level))
        ++level;
    if (nbrhood::level_name(level) == nullptr)
        throw InputError(directory + ": there is no level '" + name + "' of regions");
    return static_cast<nbrhood::Level>(level);
}

std::string counted(std::size_t number, const std::string &thing)
{
    return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

/// "1 rank", "16 ranks", "3 to 7 ranks".
std::string range_text(const std::vector<int> &numbers, const std::string &thing)
{
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    const std::string text = counted(static_cast<std::size_t>(*most), thing);
    return *least == *most ? text : std::to_string(*least) + " to " + text;
}

void describe(Layout &layout, const std::string &how)
{
    const std::vector<int> ranks = layout.cluster.ranks_of_nodes();
    layout.description = counted(layout.cluster.node_of.size(), "rank") + " on "
                         + counted(ranks.size(), "node") + " of " + range_text(ranks, "rank")
                         + " and " + range_text(layout.cluster.cores, "core") + ", " + how;
}

} // namespace

double Scenario::mean_entries() const
{
    double sum = 0;
    for (std::size_t rank = 0; rank < graph.size(); ++rank)
        for (std::size_t slot = 0; slot < graph[rank].out.size(); ++slot)
            if (graph[rank].out[slot].peer != nbrhood::kNoRank)
                sum += static_cast<double>(
                    entries[rank][kind == nbrhood::BlockKind::one_per_rank ? 0 : slot]);
    return sum / static_cast<double>(std::max<std::int64_t>(1, count_edges(graph)));
}

Layout make_layout(const DescribedMachine &described, const MachineOptions &options)
{
    Layout layout;
    layout.machine = nbrhood::Machine(described.places, options.region);
    // Nodes without ranks do not count.
    std::vector<int> number(described.cores.size(), -1);
    for (const nbrhood::Place &place : described.places) {
        int &own = number[static_cast<std::size_t>(place.node)];
        if (own < 0) {
            own = static_cast<int>(layout.cluster.cores.size());
            layout.cluster.cores.push_back(described.cores[static_cast<std::size_t>(place.node)]);
        }
        layout.cluster.node_of.push_back(own);
    }
    layout.cluster.places = described.places;
    layout.has_sockets = have_sockets(described.places);
    layout.dies = described.dies;
    describe(layout, std::string("by ")
                         + (options.placement == nbrhood::Placement::by_slot ? "slot" : "node")
                         + ", regions are " + nbrhood::level_name(static_cast<int>(options.region))
                         + "s");
    return layout;
}

Scenario make_scenario(const GraphSpec &spec, int ranks, nbrhood::BlockKind kind)
{
    GraphInput input = make_graph_input(spec, ranks, BlockSizes{kind, 1, 1});
    Scenario scenario;
    scenario.name = spec.short_name();
    scenario.kind = kind;
    scenario.has_counts = spec.has_counts();
    scenario.graph = std::move(input.neighbourhoods);
    scenario.entries = std::move(input.block_bytes);
    scenario.entry_numbers = std::move(input.block_entries);
    scenario.density = density_of(scenario.graph);
    return scenario;
}

void read_recorded_run(const std::string &directory, Layout &layout, Scenario &scenario,
                       Recording &recording)
{
    std::vector<nbrhood::RecordedRank> ranks;
    try {
        ranks = nbrhood::read_recording(directory);
    } catch (const std::invalid_argument &error) {
        throw InputError(error.what());
    }
    std::vector<nbrhood::Place> places;
    double ranks_per_core = 1;
    recording.directory = directory;
    recording.algorithm = ranks.front().algorithm;
    scenario.name = "recorded";
    scenario.kind = ranks.front().pattern.kind;
    for (nbrhood::RecordedRank &rank : ranks) {
        places.push_back({rank.node, rank.domains});
        ranks_per_core = std::max(ranks_per_core, rank.ranks_per_core);
        recording.combining_threshold =
            std::max<std::uint64_t>(recording.combining_threshold, rank.combining_threshold);
        recording.packing_threshold =
            std::max<std::uint64_t>(recording.packing_threshold, rank.packing_threshold);
        recording.patterns.push_back(std::move(rank.pattern));
        const std::size_t blocks =
            scenario.kind == nbrhood::BlockKind::one_per_rank ? 1 : rank.neighbourhood.out.size();
        scenario.entries.emplace_back(blocks, 1);
        scenario.graph.push_back(std::move(rank.neighbourhood));
    }
    scenario.density = density_of(scenario.graph);
    layout.has_sockets = have_sockets(places);
    layout.cluster.node_of = number_nodes(places);
    // The files have the number of ranks per core of the fullest node, not the number of cores.
    layout.cluster.cores.assign(static_cast<std::size_t>(*std::max_element(
                                    layout.cluster.node_of.begin(), layout.cluster.node_of.end()))
                                    + 1,
                                1);
    const std::vector<int> of_nodes = layout.cluster.ranks_of_nodes();
    const double most = *std::max_element(of_nodes.begin(), of_nodes.end());
    layout.cluster.cores.assign(of_nodes.size(),
                                std::max(1, static_cast<int>(std::lround(most / ranks_per_core))));
    layout.cluster.places = places;
    layout.machine = nbrhood::Machine(std::move(places), level_of(directory, ranks.front().region));
    describe(layout, "as recorded in " + directory);
}

} // namespace nbrhood_tools::explain
