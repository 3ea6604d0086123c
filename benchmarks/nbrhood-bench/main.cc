// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-bench: measures MPI neighbourhood collectives of several algorithms in one run. See
// --help.
#include "comparison.h"
#include "distribute.h"
#include "options.h"
#include "output.h"

#include "common/error.h"
#include "common/progress.h"
#include "measuring/agreement.h"
#include "measuring/algorithm_labels.h"
#include "measuring/program.h"

#include <cstdio>

namespace nbrhood_tools::bench {

namespace {

struct LoadedGraph {
    Configuration configuration;      ///< operation, variant and size still to be set
    std::vector<Neighbourhood> parts; ///< more than one if the graph changes
};

/// Graphs that calls use in turn. Each has buffers of its own, so there are few enough for memory,
/// and enough that most pairs of ranks exchange something sooner or later.
constexpr int changing_graphs = 32;

/// Reads all graphs before any measurement: a wrong file name must be noticed at once, not after an
/// hour.
std::vector<LoadedGraph> load_graphs(const std::vector<GraphSpec> &specs, bool changing,
                                     MPI_Comm comm)
{
    std::vector<LoadedGraph> graphs;
    for (const GraphSpec &spec : specs) {
        LoadedGraph graph;
        if (changing)
            graph.parts = make_changing_neighbourhoods(spec, changing_graphs, comm);
        else
            graph.parts.push_back(make_neighbourhood(spec, comm));
        const Neighbourhood &part = graph.parts.front();
        graph.configuration.graph_text = spec.text;
        graph.configuration.graph_name = spec.short_name();
        graph.configuration.counts_from_file = spec.has_counts();
        graph.configuration.facts = summarise(part, comm);
        graph.configuration.duplicates = count_duplicates(part, comm);
        if (graph.configuration.facts.edges == 0)
            throw InputError(spec.text
                             + ": has no edges between the ranks, there is nothing to measure");
        graphs.push_back(std::move(graph));
    }
    return graphs;
}

/// The run as a whole. Returns the exit status.
class Run {
public:
    Run(const Options &options, MPI_Comm comm) : options_(options), comm_(comm)
    {
        MPI_Comm_rank(comm, &rank_);
    }

    ExitStatus execute()
    {
        environment_ = describe_environment(comm_);
        if (rank_ == 0)
            warn_about_algorithms("nbrhood-bench", environment_, options_.labels,
                                  operation_names());
        const std::vector<LoadedGraph> graphs =
            load_graphs(options_.graphs, options_.settings.calls.change_every > 0, comm_);
        // An output file that cannot be written must also be noticed at once; but a wrong graph
        // must not destroy the results of an earlier run.
        save(false);

        std::vector<std::string> names;
        std::size_t steps = 0;
        for (const LoadedGraph &graph : graphs) {
            names.push_back(graph.configuration.graph_name);
            steps +=
                options_.operations.size() * options_.variants.size() * sizes_for(graph).size();
        }
        std::vector<std::string> labels;
        for (const Method &row : make_methods(options_.labels, options_.settings.calls))
            labels.push_back(row.label);
        if (!options_.ways.empty())
            for (const std::string &label : options_.labels)
                labels.push_back("neighbor/" + label);
        const Table table(environment_, names, labels);
        Progress progress("nbrhood-bench", options_.progress, steps);
        if (rank_ == 0) {
            table.print_title(options_.settings.calls);
            for (const LoadedGraph &graph : graphs)
                table.print_graph(graph.configuration);
            table.print_header();
        }
        for (const LoadedGraph &graph : graphs)
            measure(graph, table, progress);
        save(true);
        if (rank_ == 0)
            table.print_footer(comparisons_);

        for (const Comparison &comparison : comparisons_)
            if (!all_verified(comparison.algorithms))
                return exit_wrong_results;
        return exit_good;
    }

private:
    std::vector<std::string> operation_names() const
    {
        std::vector<std::string> names;
        for (Operation operation : options_.operations)
            if (!names_all_ranks(operation)) // where others have no row
                names.push_back(name_of(operation));
        return names;
    }

    const std::vector<std::size_t> &sizes_for(const LoadedGraph &graph) const
    {
        return graph.configuration.counts_from_file ? options_.entry_bytes : options_.block_bytes;
    }

    void measure(const LoadedGraph &graph, const Table &table, Progress &progress)
    {
        const Contenders contenders(graph.parts.front(), options_.operations, options_.labels,
                                    options_.ways, options_.on_gpu && !Hip::known_to_open_mpi(),
                                    options_.settings.creations, comm_);
        Configuration configuration = graph.configuration;
        for (Operation operation : options_.operations) {
            for (Variant variant : options_.variants) {
                for (std::size_t bytes : sizes_for(graph)) {
                    configuration.operation = operation;
                    configuration.variant = variant;
                    configuration.entry_bytes = bytes;
                    if (rank_ == 0)
                        progress.next(configuration.graph_name + " " + name_of(operation) + " "
                                      + name_of(variant) + " " + std::to_string(bytes) + " bytes");
                    comparisons_.push_back(compare(configuration, graph.parts,
                                                   contenders.of(operation), options_.settings,
                                                   comm_));
                    if (rank_ == 0)
                        table.print(comparisons_.back());
                    save(false);
                }
            }
        }
    }

    void save(bool complete)
    {
        save_results(
            options_.json_file,
            [&] { return json_text(environment_, options_.settings, comparisons_, complete); },
            comm_);
    }

    const Options &options_;
    MPI_Comm comm_;
    int rank_ = 0;
    Environment environment_;
    std::vector<Comparison> comparisons_;
};

ExitStatus run(int argc, char **argv, int /*rank*/)
{
    Options options = parse_options(argc, argv);
    if (options.on_gpu)
        options.settings.calls.hip = std::make_shared<const Hip>(MPI_COMM_WORLD);
    return Run(options, MPI_COMM_WORLD).execute();
}

} // namespace

} // namespace nbrhood_tools::bench

int main(int argc, char **argv)
{
    return nbrhood_tools::run_program("nbrhood-bench", argc, argv, nbrhood_tools::bench::run);
}
