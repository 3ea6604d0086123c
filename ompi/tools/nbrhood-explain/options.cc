// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "allgather_analysis.h"
#include "machine_options.h"
#include "parameter_options.h"

#include "common/command_line.h"
#include "common/error.h"
#include "common/papers.h"
#include "allgather/registry.h"
#include "select/selection.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace nbrhood_tools::explain {

namespace {

const char *const description =
    "Builds the patterns of coll/nbrhood's algorithms for all ranks of a described machine, "
    "without\nMPI, and reports their messages and predicted times.";

const char *const examples = R"(Recordings
  A run with --mca coll_nbrhood_dump DIR writes DIR/COMMUNICATOR/ALGORITHM-KIND; the directory holds the graph, the machine and the pattern.
  The pattern is proved and modelled, next to those built for its graph and machine.
Costs
  default (EDR InfiniBand), default-tcp, a file of nbrhood-calibrate, or one that is installed:
  lassen (Bienz et al. 2021), emulated-4x16, emulated-8x8
Examples
  nbrhood-explain --machine "node:60 socket:2 core:18" --graph rsg:0.7
  nbrhood-explain --hwloc node.xml --nodes 100 --graph moore:3,1 --op neighbor_allgather --block-bytes 8,4KiB,1MiB
  nbrhood-explain --machine "node:64 socket:2 core:16" --op mpi_allgather --block-bytes 4,1KiB --costs lassen --prove
  nbrhood-explain --machine "node:4 core:16" --graph rsg:0.1 --graph rsg:0.5 --costs costs.txt --json r.json --pictures
  nbrhood-plot r.json -o pictures
Exit status: 0 good, 1 a pattern is wrong, 2 bad options, 3 bad input.)";

std::vector<nbrhood::BlockKind> kinds_of(const std::vector<std::string> &operations)
{
    std::vector<nbrhood::BlockKind> kinds;
    const auto add = [&kinds](nbrhood::BlockKind kind) {
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
            kinds.push_back(kind);
    };
    for (const std::string &operation : operations) {
        bool known = false;
        std::string names = "all";
        for (int c = 0; c < nbrhood::kCollectives; ++c) {
            const auto collective = static_cast<nbrhood::Collective>(c);
            const std::string name = nbrhood::name_of(collective);
            names += ", ";
            names += name;
            if (operation == "all" || operation == name || "neighbor_" + operation == name) {
                add(nbrhood::kind_of(collective));
                known = true;
            }
        }
        if (operation == allgather_operation)
            throw OptionError("--op: mpi_allgather has no graph, and so no operation beside it");
        if (!known)
            throw OptionError("--op: unknown name '" + operation + "' (known: " + names + ", "
                              + allgather_operation + ")");
    }
    return kinds;
}

template <typename Row>
void check_algorithms(std::vector<std::string> &names, const std::vector<Row> &registry)
{
    std::vector<std::string> known;
    for (const Row &row : registry)
        known.emplace_back(row.name);
    if (names == std::vector<std::string>{"all"})
        names = known;
    for (const std::string &name : names)
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            std::string list = "all";
            for (const std::string &other : known) {
                list += ", ";
                list += other;
            }
            throw OptionError("--algorithms: unknown name '" + name + "' (known: " + list + ")");
        }
}

/// A file, the name of an installed file without its extension, "default" or "default-tcp".
nbrhood::Costs find_costs(const std::string &name)
{
    if (name == "default")
        return nbrhood::default_costs();
    if (name == "default-tcp")
        return nbrhood::default_costs_of_tcp();
    std::error_code ignored;
    for (const std::string &file : {name, std::string(NBRHOOD_COSTS_DIR "/") + name + ".txt"}) {
        if (!std::filesystem::exists(file, ignored))
            continue;
        try {
            return nbrhood::read_costs_file(file);
        } catch (const std::invalid_argument &error) {
            throw InputError(error.what());
        }
    }
    throw InputError(name + ": no such file, and no such costs in " NBRHOOD_COSTS_DIR);
}

void set_die_costs(const std::vector<std::string> &texts, nbrhood::DieCosts &costs)
{
    for (const std::string &text : texts) {
        try {
            nbrhood::set_die_cost(costs, text);
        } catch (const std::invalid_argument &error) {
            throw OptionError(std::string("--die-cost: ") + error.what());
        }
    }
}

void check_scenario(const Options &options, const CLI::App &app)
{
    if (options.allgather) {
        for (const char *name : {"--graph", "--recording", "--entry-bytes"})
            if (app.count(name) > 0)
                throw OptionError(std::string("--op mpi_allgather has no graph: leave ") + name
                                  + " out");
        return;
    }
    if (options.recording.empty() == options.graphs.empty())
        throw OptionError(options.recording.empty()
                              ? "nothing to explain: give --graph or --recording"
                              : "--recording has a graph of its own: leave out --graph");
    if (options.recording.empty())
        return;
    for (const char *name : {"--machine", "--hwloc", "--hostfile", "--nodes", "--ranks",
                             "--ranks-per-node", "--map-by", "--region", "--op", "--gpu-topology"})
        if (app.count(name) > 0)
            throw OptionError(std::string("--recording gives the machine and the operation: leave ")
                              + name + " out");
}

} // namespace

Options parse_options(int argc, char **argv)
{
    Options options;
    AnalysisSettings &settings = options.analysis;
    std::vector<std::string> graphs;
    std::vector<std::string> operations{"neighbor_alltoallv"};
    std::string costs = "default";
    std::vector<std::string> die_costs;
    settings.algorithms = {"all"};
    settings.block_bytes = {8, 512, 4096, 32768};
    settings.entry_bytes = {8};

    CLI::App app(description, "nbrhood-explain");
    app.footer("\n" + graph_help() + examples);
    // Not a comma list: moore:2,1 has a comma of its own.
    app.add_option("-g,--graph", graphs, "graph, see below; repeat for several")
        ->allow_extra_args(false);
    app.add_option("--recording", options.recording,
                   "a pattern recorded in a real run, instead of a graph and a machine");
    add_list(
        app, "-o,--op", operations,
        "operations, or all; 'neighbor_' may be left out. Only matters whether blocks are one per "
        "rank (allgather) or one per edge. mpi_allgather: that of all ranks, without a graph. A "
        "sparse MPI_Alltoallv or MPI_Alltoallw has the pattern of neighbor_alltoallv on the graph "
        "of its pairs");
    add_list(app, "-a,--algorithms", settings.algorithms,
             "rows of the registry (of mpi_allgather's for that), or all");
    add_list(app, "-b,--block-bytes", settings.block_bytes,
             "block sizes for computed graphs (rsg ... hubs) and recordings (8, 4KiB, ...)")
        ->transform(CLI::AsSizeValue(false));
    add_list(app, "-e,--entry-bytes", settings.entry_bytes, "bytes per entry, for matrix and mesh")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("-c,--costs", costs, "communication costs, see below")->capture_default_str();
    app.add_option("--die-cost", die_costs,
                   "a cost between GPU dies and their nodes, NAME=VALUE with a name printed for a "
                   "machine with --gpu-topology; repeat for several")
        ->allow_extra_args(false);
    app.add_flag(
        "--prove", settings.prove,
        "prove that each pattern brings every block to its slot (always done for recordings)");
    add_result_options(app, options.json_file, options.progress);
    app.add_flag("--pictures", settings.pictures,
                 "add to --json the traffic between ranks and the timelines, for nbrhood-plot");
    app.add_flag("--show-gpus", options.show_gpus,
                 "print the GPU dies of --gpu-topology, or without it those of this node, as a "
                 "file for --gpu-topology; no graph is needed");
    add_machine_options(app, options.machine);
    std::string paper;
    // Before the parameters' own options, whose values win.
    add_paper_option(app, paper)->each([&settings](const std::string &name) {
        for (const auto &[parameter, value] : find_paper(name)->values)
            settings.values.set_number(*parameter, value);
    });
    add_parameter_options(app, settings.values);

    parse_command_line(app, argc, argv);
    for (const std::string &graph : graphs)
        options.graphs.push_back(parse_graph_spec(graph));
    options.allgather = operations == std::vector<std::string>{allgather_operation};
    settings.all_algorithms = settings.algorithms == std::vector<std::string>{"all"};
    if (options.allgather) {
        check_algorithms(settings.algorithms, nbrhood::allgather_algorithms());
    } else {
        options.kinds = kinds_of(operations);
        check_algorithms(settings.algorithms, nbrhood::registry());
    }
    check_sizes<std::int64_t>("--block-bytes", settings.block_bytes, INT_MAX);
    check_sizes<std::int64_t>("--entry-bytes", settings.entry_bytes,
                              1 << 20); // a block may have millions
    if (!options.show_gpus)
        check_scenario(options, app);
    if (settings.pictures && options.json_file.empty())
        throw OptionError("--pictures adds to the file of --json: name one");
    settings.costs = find_costs(costs);
    set_die_costs(die_costs, settings.die_costs);
    options.command = command_text(argc, argv);
    return options;
}

} // namespace nbrhood_tools::explain
