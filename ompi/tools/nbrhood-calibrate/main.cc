// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-calibrate: measures the costs by which `auto` of coll/nbrhood decides. See --help.
#include "layout.h"
#include "measurement.h"
#include "options.h"
#include "report.h"

#include "common/output_file.h"
#include "common/statistics.h"
#include "measuring/agreement.h"
#include "measuring/program.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nbrhood_tools::calibrate {

namespace {

/// Invented costs would be worse than none, so the program refuses to guess costs that it cannot
/// measure on these nodes.
void check_layout(const Layout &layout)
{
    if (layout.nodes.size() < 2)
        throw InputError("all ranks are on one node, so that the costs between nodes cannot be "
                         "measured: start the ranks on two nodes or more");
    if (std::all_of(layout.nodes.begin(), layout.nodes.end(),
                    [](const std::vector<int> &ranks) { return ranks.size() < 2; }))
        throw InputError("every node has one rank only, so that the costs inside a node cannot be "
                         "measured: start two ranks or more on each node");
}

/// The output files must be writable before the measurements take their time.
void check_files(const Options &options, int rank)
{
    std::string failure;
    if (rank == 0)
        for (const std::string &file : {options.output, options.json_file})
            if (!file.empty() && failure.empty())
                failure = check_writable(file);
    agree_on_failure(failure, MPI_COMM_WORLD);
}

std::vector<Observation> medians(const std::vector<Series> &all)
{
    std::vector<Observation> observations;
    for (const Series &series : all)
        observations.push_back({series.shape, median(series.samples)});
    return observations;
}

std::string default_name(const Environment &environment)
{
    return environment.host + ", " + std::to_string(environment.ranks) + " ranks on "
           + std::to_string(environment.nodes) + " nodes";
}

/// Called on rank 0. Returns the reason why a file could not be written, or nothing.
std::string write_files(const Options &options, const Result &result)
{
    std::string failure;
    if (!options.output.empty())
        failure = replace_file(options.output, costs_file(result));
    if (!options.json_file.empty() && failure.empty())
        failure = replace_file(options.json_file, json_text(result));
    return failure;
}

ExitStatus run(int argc, char **argv, int rank)
{
    const Options options = parse_options(argc, argv);
    const Layout layout = find_layout(MPI_COMM_WORLD);
    check_layout(layout);
    check_files(options, rank);

    Result result;
    result.environment = describe_environment(MPI_COMM_WORLD);
    result.command = options.command;
    result.cores = layout.cores;
    for (const std::vector<int> &ranks : layout.nodes)
        result.ranks_of_nodes.push_back(static_cast<int>(ranks.size()));
    result.sharing = layout.sharing();
    result.series = measure(layout, planned_shapes(layout), options.seconds, MPI_COMM_WORLD);

    std::string failure;
    int is_useless = 0;
    if (rank == 0) {
        result.fit = fit(medians(result.series), result.sharing);
        result.fit.costs.name =
            options.name.empty() ? default_name(result.environment) : options.name;
        print_table(result);
        const std::string reason = why_useless(result.fit);
        is_useless = reason.empty() ? 0 : 1;
        if (is_useless == 0)
            failure = write_files(options, result);
        else
            std::fprintf(stderr,
                         "nbrhood-calibrate: the costs are useless, and nothing is written: %s;\n"
                         "  measure longer, or on a quiet machine\n",
                         reason.c_str());
    }
    MPI_Bcast(&is_useless, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_useless != 0)
        return exit_wrong_results;
    agree_on_failure(failure, MPI_COMM_WORLD);
    return exit_good;
}

} // namespace

} // namespace nbrhood_tools::calibrate

int main(int argc, char **argv)
{
    return nbrhood_tools::run_program("nbrhood-calibrate", argc, argv,
                                      nbrhood_tools::calibrate::run);
}
