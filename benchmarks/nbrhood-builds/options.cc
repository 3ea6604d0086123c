// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "common/bounds.h"
#include "common/command_line.h"
#include "common/error.h"
#include "select/selection.h"

namespace nbrhood_tools::builds {

namespace {

const char *const description = "Runs builds beside a program (coll_nbrhood_build_after) of all "
                                "ranks in one process, without MPI, and\nprints their costs for "
                                "each rank. Times and latencies of a machine are not modelled.";

const char *const footer = R"(Columns
  waves                in which ranks find each other; "all" includes them
  busiest              the rank with the most, for each column another one perhaps
  rounds               the longest chain of messages
  distance             the greatest distance between two ranks of a component
  memory               the most memory that the build of one rank holds at one time
  seconds              processor time of the simulation
Example
  nbrhood-builds --graph moore:3,1 --graph ring:1 --ranks 1024,4096 --placement all --json builds.json
Exit status: 0 good (also where a size was too large, which the table says), 2 bad options, 3 bad input.)";

} // namespace

const char *name_of(Nodes placement)
{
    return placement == Nodes::in_order ? "in order" : "at random";
}

Options parse_options(int argc, char **argv)
{
    Options options;
    SimulationSettings &simulation = options.simulation;
    std::vector<std::string> graphs;
    std::string placement = "slot";
    std::string algorithm = "auto";
    std::string operation = nbrhood::name_of(simulation.collective);
    std::string order = "rounds";
    options.ranks = {1024};
    options.node = "socket:2 core:16";

    CLI::App app(description, "nbrhood-builds");
    app.footer("\n" + graph_help() + footer);
    app.add_option("-g,--graph", graphs, "graph; repeat for several")
        ->allow_extra_args(false)
        ->required();
    add_list(app, "-n,--ranks", options.ranks, "numbers of ranks")
        ->check(CLI::Range(std::int64_t{1}, most_ranks));
    app.add_option("--placement", placement, "ranks fill node after node, or any slot, or both")
        ->check(CLI::IsMember({"slot", "random", "all"}))
        ->capture_default_str();
    app.add_option("--node", options.node,
                   "description of a node; there are as many nodes as the ranks need")
        ->capture_default_str();
    app.add_option("-o,--op", operation, "collective for which a pattern is built")
        ->capture_default_str();
    app.add_option("-a,--algorithm", algorithm, "auto, or a row of the registry")
        ->capture_default_str();
    app.add_option("--order", order,
                   "all messages take the same time (rounds), or random times (random)")
        ->check(CLI::IsMember({"rounds", "random"}))
        ->capture_default_str();
    app.add_option("--memory", simulation.most_bytes,
                   "memory limit, beyond which ranks only find each other (default: 8GiB)")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--seconds", simulation.most_seconds,
                   "likewise, of the processor for each simulation")
        ->check(number_between(0, 1e6))
        ->capture_default_str();
    add_result_options(app, options.json_file, options.progress);

    parse_command_line(app, argc, argv);
    for (const std::string &graph : graphs)
        options.graphs.push_back(parse_graph_spec(graph));
    if (placement != "random")
        options.placements.push_back(Nodes::in_order);
    if (placement != "slot")
        options.placements.push_back(Nodes::at_random);
    simulation.order = order == "rounds" ? nbrhood::BuildNetwork::Order::by_round
                                         : nbrhood::BuildNetwork::Order::at_random;
    simulation.choice = nbrhood::find_choice(algorithm);
    if (simulation.choice < 0)
        throw OptionError("--algorithm: unknown name '" + algorithm + "'");
    int collective = 0;
    while (collective < nbrhood::kCollectives
           && operation != nbrhood::name_of(static_cast<nbrhood::Collective>(collective)))
        ++collective;
    if (collective == nbrhood::kCollectives)
        throw OptionError("--op: unknown name '" + operation + "'");
    simulation.collective = static_cast<nbrhood::Collective>(collective);
    options.command = command_text(argc, argv);
    return options;
}

} // namespace nbrhood_tools::builds
