// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "common/command_line.h"
#include "common/error.h"
#include "common/named_values.h"
#include "common/papers.h"
#include "measuring/algorithm_labels.h"
#include "measuring/timing_options.h"

#include <algorithm>
#include <climits>
#include <map>

namespace nbrhood_tools::bench {

namespace {

const char *const description =
    "Measures MPI neighbourhood collectives, and sparse MPI_Alltoallv, "
    "with several algorithms,\neach on its own communicator, in one run.\n"
    "Run it under mpirun. Algorithm 'stock' is Open MPI's own; any "
    "other name is passed to coll/nbrhood.";

const char *const examples = R"(Bytes on an edge
  Computed graphs: one block, --block-bytes. matrix, mesh: --entry-bytes times
  the edge's count (alltoallv, alltoallw), the largest count of the graph
  (alltoall), the sender's own entries (allgatherv), the most of any rank (allgather).
Values of alltoallv (--values)
  packed (always measured, as ratios refer to it): blocks into which the application copied its
  values; indexed: the same, and the library call is told which values they are (persistent);
  typed: alltoallw directly from the application's vector; overlapping: all neighbours get the
  same block (computed graphs). The lines before the table have the number of duplicate values.
MPI_Alltoallv (--op mpi_alltoallv, mpi_alltoallw)
  The same exchange on a communicator without a topology: counts are 0 for ranks without an edge.
  --ways adds rows: neighbor, the neighbourhood collective with each algorithm on the same graph;
  linear, MPI_Isend and MPI_Irecv with all ranks, also of 0 bytes, as Open MPI's basic_linear does
  it up to 4.1.5 (coll_tuned_alltoallv_algorithm 1, which is a parameter of the whole program).
Examples
  mpirun -np 64 nbrhood-bench --graph rsg:0.1 --op neighbor_allgather --algorithms auto,direct
  mpirun -np 64 nbrhood-bench --graph matrix:bcsstk13.mtx --graph mesh:4elt.graph \
      --op neighbor_alltoallv --variant persistent --algorithms aggregated --json out.json
  mpirun -np 64 nbrhood-bench --graph rsg:0.1 --op mpi_alltoallv --ways neighbor,linear
  plot-bench out.json -o speed-up.svg
Exit status: 0 good, 1 an algorithm delivered wrong data, 2 bad options, 3 bad input.)";

/// packed first, since all ratios refer to it.
std::vector<SendLayout> complete_layouts(const std::vector<std::string> &asked)
{
    std::vector<SendLayout> values{SendLayout::packed};
    for (SendLayout value : look_up<SendLayout>("--values", asked,
                                                {{"packed", SendLayout::packed},
                                                 {"indexed", SendLayout::indexed},
                                                 {"typed", SendLayout::typed},
                                                 {"overlapping", SendLayout::overlapping}},
                                                ""))
        if (std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(value);
    return values;
}

/// The operations; "all" are the neighbourhood collectives.
std::vector<Operation> operations_named(const std::vector<std::string> &names)
{
    using Table = std::vector<std::pair<std::string, Operation>>;
    const Table neighbours{{"allgather", Operation::allgather},
                           {"allgatherv", Operation::allgatherv},
                           {"alltoall", Operation::alltoall},
                           {"alltoallv", Operation::alltoallv},
                           {"alltoallw", Operation::alltoallw}};
    const Table all_ranks{{"alltoallv", Operation::mpi_alltoallv},
                          {"alltoallw", Operation::mpi_alltoallw}};
    std::vector<Operation> operations;
    for (const std::string &name : names) {
        const bool whole = name.rfind("mpi_", 0) == 0;
        for (Operation found : look_up<Operation>("--op", {name}, whole ? all_ranks : neighbours,
                                                  whole ? "mpi_" : "neighbor_"))
            operations.push_back(found);
    }
    return operations;
}

/// Refuses combinations in which --values, --pack or --compute have no meaning.
void check_calls(const Options &options)
{
    const CallSettings &calls = options.settings.calls;
    const auto has = [](const auto &list, auto value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    };
    const bool whole =
        std::any_of(options.operations.begin(), options.operations.end(), names_all_ranks);
    if (!options.ways.empty() && !whole)
        throw OptionError("--ways is for --op mpi_alltoallv and mpi_alltoallw only");
    if (options.settings.skip_isolated && whole)
        throw OptionError("--skip-isolated is for neighbourhood collectives only");
    for (Operation operation : options.operations)
        if (calls.use_vector() && operation != Operation::alltoallv)
            throw OptionError("--values and --pack are for --op neighbor_alltoallv only");
    for (Variant variant : options.variants)
        if (has(calls.values, SendLayout::indexed) && variant != Variant::persistent)
            throw OptionError("--values indexed is for --variant persistent only");
    if (calls.compute_seconds > 0 && has(options.variants, Variant::blocking))
        throw OptionError("--compute is for --variant nonblocking and persistent only");
    if (calls.change_every > 0) {
        const bool all_whole =
            std::all_of(options.operations.begin(), options.operations.end(), names_all_ranks);
        if (!all_whole || has(options.ways, Way::neighbour))
            throw OptionError("--change-every is for --op mpi_alltoallv and mpi_alltoallw only, "
                              "without --ways neighbor: a topology does not change");
        for (const GraphSpec &graph : options.graphs)
            if (graph.has_counts())
                throw OptionError("--change-every is for computed graphs only");
    }
    if (options.on_gpu && (whole || calls.use_vector()))
        throw OptionError(
            "--memory hip is for neighbourhood collectives only, without --values and "
            "--pack");
    if (calls.tests > 0 && calls.compute_seconds <= 0)
        throw OptionError("--tests needs --compute");
    if (has(calls.values, SendLayout::overlapping))
        for (const GraphSpec &graph : options.graphs)
            if (graph.has_counts())
                throw OptionError("--values overlapping is for computed graphs only, whose "
                                  "edges carry the same block");
}

} // namespace

Options parse_options(int argc, char **argv)
{
    Options options;
    TimingSettings &timing = options.settings.timing;
    std::vector<std::string> graphs;
    std::vector<std::string> operations{"neighbor_alltoallv"};
    std::vector<std::string> variants{"blocking"};
    std::vector<std::string> algorithms{"auto"};
    options.block_bytes = {8, 64, 512, 4096, 32768};
    options.entry_bytes = {8};
    std::string order = "palindrome";
    bool no_twin = false;
    std::vector<std::string> values{"packed"}, ways;
    std::string memory = "host";
    CallSettings &calls = options.settings.calls;
    double compute_microseconds = 0;

    std::string paper; // export_paper() took it
    CLI::App app(description, "nbrhood-bench");
    app.footer("\n" + graph_help() + examples);
    // The option takes no list with commas, because moore:2,1 contains a comma.
    app.add_option("-g,--graph", graphs, "graph, see below; repeat for several")
        ->required()
        ->allow_extra_args(false);
    add_list(app, "-o,--op", operations,
             "operations, or all; 'neighbor_' may be left out; mpi_alltoallv, mpi_alltoallw");
    add_list(app, "--ways", ways,
             "further rows for mpi_alltoallv and mpi_alltoallw: neighbor, linear");
    add_list(app, "-V,--variant", variants, "blocking, nonblocking, persistent, or all");
    add_list(app, "-a,--algorithms", algorithms,
             "algorithms to compare with stock: auto, default, direct, ...");
    add_list(app, "-b,--block-bytes", options.block_bytes,
             "block sizes for computed graphs, rsg ... hubs (8, 4KiB, ...)")
        ->transform(CLI::AsSizeValue(false));
    add_list(app, "-e,--entry-bytes", options.entry_bytes, "bytes per entry, for matrix and mesh")
        ->transform(CLI::AsSizeValue(false));
    add_list(app, "--values", values,
             "how alltoallv's values lie in memory, besides packed: indexed, typed, overlapping");
    app.add_flag("--pack", calls.pack,
                 "calls include the packing that the application does for packed and indexed");
    app.add_option("--memory", memory,
                   "where the buffers are: host, or hip, the memory of a GPU. If Open MPI does not "
                   "know that memory, calls of its own are timed with the program's copies")
        ->check(CLI::IsMember({"host", "hip"}))
        ->capture_default_str();
    app.add_option("--compute", compute_microseconds,
                   "also measure each algorithm with this many microseconds of computation between "
                   "start and wait")
        ->check(number_between(0, 1e7));
    app.add_option("--tests", calls.tests, "MPI_Test calls during the computation")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    app.add_option("--change-every", calls.change_every,
                   "calls of mpi_alltoallv or mpi_alltoallw after which the ranks change places in "
                   "the graph; 0: never")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    add_timing_options(app, timing, no_twin, "each graph, operation, variant and size");
    app.add_option(
           "--first-calls", timing.first_calls,
           "calls of auto, before all others, in which it may build and try a pattern, and as "
           "many of stock, with which they are compared")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    app.add_option("--first-rounds", timing.first_rounds,
                   "repetitions of the first calls, in alternating order and each on new "
                   "communicators; the table has the mean")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    add_creation_option(app, options.settings.creations);
    app.add_option("--order", order,
                   "order of algorithms in a round: palindrome (A B, B A) or random")
        ->check(CLI::IsMember({"palindrome", "random"}))
        ->capture_default_str();
    app.add_option("--seed", timing.seed, "for random order and bootstrap")->capture_default_str();
    app.add_flag(
        "--skip-isolated", options.settings.skip_isolated,
        "ranks without edges skip the calls, as in programs that call only if the degree is not 0");
    add_paper_option(app, paper);
    add_result_options(app, options.json_file, options.progress);

    parse_command_line(app, argc, argv);
    for (const std::string &graph : graphs)
        options.graphs.push_back(parse_graph_spec(graph));
    options.operations = operations_named(operations);
    options.ways =
        look_up<Way>("--ways", ways, {{"neighbor", Way::neighbour}, {"linear", Way::linear}}, "");
    options.variants = variants_named(variants);
    options.labels = complete_labels(algorithms, neighbourhood_algorithms(), !no_twin);
    calls.values = complete_layouts(values);
    calls.compute_seconds = compute_microseconds * 1e-6;
    options.on_gpu = memory == "hip";
    check_calls(options);
    check_sizes<std::size_t>("--block-bytes", options.block_bytes, INT_MAX);
    check_sizes<std::size_t>("--entry-bytes", options.entry_bytes, INT_MAX);
    timing.order = order == "random" ? Order::random : Order::palindrome;
    return options;
}

} // namespace nbrhood_tools::bench
