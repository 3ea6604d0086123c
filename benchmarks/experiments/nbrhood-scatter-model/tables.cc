// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "tables.h"

#include "analysis/gpu_nodes.h"
#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace nbrhood_tools::scatter_model {

namespace {

const std::vector<std::uint64_t> sizes{64 << 10, 256 << 10, 512 << 10, 1 << 20,
                                       8 << 20,  64 << 20,  1 << 30};

/// Larger graphs take long, and vary less.
constexpr int most_repeated = 32;

std::string published(const std::string &cluster, int ranks, const std::string &graph)
{
    const bool random = graph.rfind("rsg", 0) == 0;
    if (!random)
        return graph == "moore:2,1" && cluster == "A" ? "up to 3.82 (any Moore)" : "";
    if (cluster == "A" && ranks == 8)
        return graph == "rsg:0.6" ? "up to 1.60" : graph == "rsg:0.4" ? "up to 2.16" : "";
    if (cluster == "A" && ranks == 32)
        return "up to 7.03 (any density)";
    if (cluster == "B" && ranks == 8)
        return graph == "rsg:0.6" ? "up to 1.35" : "";
    return cluster == "B" && ranks == 128 ? "up to 4.02 (any density)" : "";
}

/// Adds the logarithms of one graph's speed-ups; its rows stay.
void add(Case &result, std::vector<Row> rows)
{
    const Row &direct = rows[0], &scatter = rows[1];
    result.best.assign(result.bytes.size(), "");
    for (std::size_t s = 0; s < result.bytes.size(); ++s) {
        const Row *best = &direct;
        for (const Row &row : rows)
            if (&row != &scatter && row.times[s].seconds < best->times[s].seconds)
                best = &row;
        const double own = scatter.times[s].seconds;
        const double ratio = direct.times[s].seconds / own;
        result.over_direct[s] += std::log(ratio);
        result.over_best[s] += std::log(best->times[s].seconds / own);
        result.best[s] = best->name;
        result.most = std::max(result.most, ratio);
    }
    if (scatter.blocks_into_node > 0)
        result.into_node += direct.blocks_into_node / scatter.blocks_into_node;
    result.rows = std::move(rows);
}

/// For random graphs: the first `seeds` that have edges.
Case run_case(const ClusterCase &cluster, bool papers_leaders, int ranks, const std::string &graph,
              int seeds)
{
    Case result;
    result.cluster = cluster.name;
    result.ranks = ranks;
    result.graph = graph;
    result.published = published(cluster.name, ranks, graph);
    result.bytes = sizes;
    result.over_direct.assign(sizes.size(), 0);
    result.over_best.assign(sizes.size(), 0);
    const bool random = graph.rfind("rsg", 0) == 0;
    const int graphs = random && ranks <= most_repeated ? seeds : 1;
    int added = 0;
    for (int seed = 1; added < graphs; ++seed) {
        const std::string name = random ? graph + ":" + std::to_string(seed) : graph;
        try {
            add(result, model(Setting{cluster.links, cluster.costs, named_graph(name, ranks), sizes,
                                      papers_leaders}));
            ++added;
        } catch (const InputError &) {
            if (!random || seed > 10 * graphs)
                throw;
        }
    }
    for (std::vector<double> *means : {&result.over_direct, &result.over_best})
        for (double &mean : *means)
            mean = std::exp(mean / added);
    result.into_node /= added;
    return result;
}

} // namespace

std::vector<Case> run_cases(const std::vector<ClusterCase> &clusters, bool papers_leaders,
                            int most_ranks, int seeds)
{
    std::vector<Case> cases;
    for (const ClusterCase &cluster : clusters)
        for (int ranks = 8; ranks <= std::min(most_ranks, cluster.most_ranks); ranks *= 2)
            for (const char *const graph : {"rsg:0.05", "rsg:0.2", "rsg:0.4", "rsg:0.6",
                                            "moore:2,1", "moore:2,2", "moore:3,1"})
                // On fewer ranks the larger neighbourhoods would contain all ranks.
                if (ranks >= 32
                    || (graph != std::string("moore:2,2") && graph != std::string("moore:3,1")))
                    cases.push_back(run_case(cluster, papers_leaders, ranks, graph, seeds));
    return cases;
}

std::vector<FigureTwo> run_figure_two(const nbrhood::DieCosts &costs)
{
    const auto run = [&](const std::string &what, const nbrhood::DieLinks &links,
                         nbrhood::Rank source, const std::vector<nbrhood::Rank> &destinations) {
        FigureTwo result{what, sizes, {}};
        const std::vector<Row> rows =
            model(Setting{links, costs, one_source(links.dies(), source, destinations), sizes});
        for (std::size_t s = 0; s < sizes.size(); ++s)
            result.over_direct.push_back(rows[0].times[s].seconds / rows[1].times[s].seconds);
        return result;
    };
    return {run("MI250, 6 to 4 and 5 (the paper's)", nbrhood::mi250_links(), 6, {4, 5}),
            run("MI250X, 0 to 4 and 5", nbrhood::mi250x_links(), 0, {4, 5}),
            run("both ways over one link",
                nbrhood::DieLinks({{0, 1, 0, 0}, {1, 0, 1, 1}, {0, 1, 0, 4}, {0, 1, 4, 0}},
                                  {0, 1, 2, 2}),
                0, {2, 3})};
}

std::string limits_text(const nbrhood::DieEvaluation &times)
{
    const auto percent = [&](double seconds) {
        return std::to_string(static_cast<int>(std::lround(100 * seconds / times.seconds))) + " %";
    };
    std::string text = "links " + percent(times.links);
    if (times.adapters > 0)
        text += ", adapters " + percent(times.adapters);
    if (times.ranks > 0 && std::isfinite(times.ranks))
        text += ", ranks " + percent(times.ranks);
    return text;
}

} // namespace nbrhood_tools::scatter_model
