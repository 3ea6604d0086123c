// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-builds: the costs of a build beside a program for each rank, by the number of ranks. See
// --help.
#include "output.h"

#include "common/error.h"
#include "common/graph_input.h"
#include "common/output_file.h"
#include "common/progress.h"
#include "machine/synthetic.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>

namespace nbrhood_tools::builds {

namespace {

/// The number of these nodes that the ranks need.
nbrhood::Machine make_machine(const std::string &node, int ranks, Nodes placement)
{
    try {
        const auto machine = [&](int nodes) {
            return nbrhood::SyntheticMachine("node:" + std::to_string(nodes) + " " + node);
        };
        const int slots = machine(1).slots();
        const nbrhood::SyntheticMachine all = machine((ranks + slots - 1) / slots);
        std::vector<nbrhood::Rank> slot_of(static_cast<std::size_t>(ranks));
        std::iota(slot_of.begin(), slot_of.end(), 0);
        if (placement == Nodes::at_random)
            std::sort(slot_of.begin(), slot_of.end(), [](nbrhood::Rank a, nbrhood::Rank b) {
                return nbrhood::mix(static_cast<std::uint64_t>(a) + 1)
                       < nbrhood::mix(static_cast<std::uint64_t>(b) + 1);
            });
        std::vector<nbrhood::Place> places;
        for (const nbrhood::Rank slot : slot_of)
            places.push_back(all.place(slot));
        return nbrhood::Machine(std::move(places));
    } catch (const std::invalid_argument &error) {
        throw OptionError("--node: " + std::string(error.what()));
    }
}

Row run_one(const Options &options, const GraphSpec &graph, Nodes placement, int ranks)
{
    Row row;
    row.graph = graph.short_name();
    row.placement = placement;
    row.ranks = ranks;
    const nbrhood::Machine machine = make_machine(options.node, ranks, placement);
    std::vector<nbrhood::Neighbourhood> parts;
    try {
        parts = make_graph_input(graph, ranks, {}).neighbourhoods;
    } catch (const InputError &error) {
        if (graph.has_counts())
            throw; // a file that cannot be used
        row.refused = error.what();
        return row;
    }
    row.distance = greatest_distance(parts);
    row.report = simulate(parts, machine, options.simulation);
    return row;
}

ExitStatus run(int argc, char **argv)
{
    const Options options = parse_options(argc, argv);
    const auto complain = [](const std::string &failure) {
        if (!failure.empty())
            throw InputError(failure);
    };
    if (!options.json_file.empty())
        complain(check_writable(options.json_file));
    const std::size_t cases =
        options.graphs.size() * options.placements.size() * options.ranks.size();
    Progress progress("nbrhood-builds", options.progress, cases);
    std::vector<Row> rows;
    for (const GraphSpec &graph : options.graphs)
        for (const Nodes placement : options.placements)
            for (const int ranks : options.ranks) {
                progress.next(graph.text + ", nodes " + name_of(placement) + ", "
                              + std::to_string(ranks) + " ranks");
                rows.push_back(run_one(options, graph, placement, ranks));
                if (!options.json_file.empty()) // now: later rows may take long
                    complain(write_json(options, rows, rows.size() == cases));
            }
    print_table(rows);
    return exit_good;
}

} // namespace

} // namespace nbrhood_tools::builds

int main(int argc, char **argv)
{
    return nbrhood_tools::run_tool("nbrhood-builds",
                                   [&] { return nbrhood_tools::builds::run(argc, argv); });
}
