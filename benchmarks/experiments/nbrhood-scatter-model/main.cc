// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-scatter-model: the figures of the paper on leader-based designs for GPU dies, modelled,
// without MPI. See --help.
#include "output.h"
#include "tables.h"

#include "analysis/gpu_nodes.h"
#include "common/command_line.h"
#include "common/error.h"
#include "common/output_file.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace {

using namespace nbrhood_tools::scatter_model;

const char *const description =
    "Models leader_scatter on nodes of eight GPU dies, with the links of an MI250X node, beside "
    "what\n"
    "Temucin, Gazimirsaeed, Grant, Afsahi (2024) measured: their figures 2 and 7 to 10. Each "
    "message\n"
    "shares the links and network adapters that it passes with all others there at the same time.\n"
    "Blocks of all sizes are scattered, also those that the component would send directly. Cluster "
    "A\n"
    "is theirs of MI250 with one adapter a node, cluster B theirs like Frontier, with TCP between\n"
    "nodes. Nothing is measured.";

struct Options {
    std::vector<std::string> clusters{"A", "B"};
    std::vector<std::string> costs;
    bool papers_leaders = false;
    int most_ranks = 128;
    int seeds = 5;
    std::string json_file;
    std::string picture;
};

std::vector<ClusterCase> clusters_of(const Options &options)
{
    std::vector<ClusterCase> clusters;
    for (const std::string &name : options.clusters) {
        clusters.push_back(
            name == "A"
                ? ClusterCase{name, nbrhood::mi250_links(), nbrhood::cluster_a_costs(), 32}
                : ClusterCase{name, nbrhood::mi250x_links(), nbrhood::cluster_b_costs(), 128});
        for (const std::string &cost : options.costs)
            try {
                nbrhood::set_die_cost(clusters.back().costs, cost);
            } catch (const std::invalid_argument &error) {
                throw nbrhood_tools::OptionError(std::string("--die-cost: ") + error.what());
            }
    }
    return clusters;
}

nbrhood_tools::ExitStatus run(int argc, char **argv)
{
    Options options;
    CLI::App app(description, "nbrhood-scatter-model");
    app.add_option("--cluster", options.clusters, "A, B or A,B")
        ->delimiter(',')
        ->check(CLI::IsMember({"A", "B"}))
        ->capture_default_str();
    app.add_option("--die-cost", options.costs,
                   "NAME=VALUE of one of the costs that are printed, for both; repeat for several")
        ->allow_extra_args(false);
    app.add_flag("--papers-leaders", options.papers_leaders,
                 "the even die of a package always leads (coll_nbrhood_leader_scatter_turns 0)");
    app.add_option("-n,--ranks", options.most_ranks, "the most ranks of a case")
        ->check(CLI::Range(8, 128))
        ->capture_default_str();
    app.add_option("--seeds", options.seeds, "random graphs of each kind, up to 32 ranks")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("-j,--json", options.json_file, "write all results to this file");
    app.add_option("--plot", options.picture, "draw the speed-ups into this file, an SVG picture");
    nbrhood_tools::parse_command_line(app, argc, argv);
    for (const std::string &file : {options.json_file, options.picture}) {
        const std::string failure = file.empty() ? "" : nbrhood_tools::check_writable(file);
        if (!failure.empty())
            throw nbrhood_tools::InputError(failure);
    }
    const std::vector<ClusterCase> clusters = clusters_of(options);
    const std::vector<FigureTwo> figure_two = run_figure_two(clusters.front().costs);
    const std::vector<Case> cases =
        run_cases(clusters, options.papers_leaders, options.most_ranks, options.seeds);
    print_tables(clusters, figure_two, cases);
    if (!options.json_file.empty())
        write_json(options.json_file, clusters, figure_two, cases);
    if (!options.picture.empty())
        draw(options.picture, cases);
    return nbrhood_tools::exit_good;
}

} // namespace

int main(int argc, char **argv)
{
    return nbrhood_tools::run_tool("nbrhood-scatter-model", [&] { return run(argc, argv); });
}
