// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-explain: predicts the behaviour of coll/nbrhood for a graph on a machine, without MPI and
// without the machine. See --help.
#include "allgather_analysis.h"
#include "coll_nbrhood_rocm.h"
#include "gpu_topology.h"
#include "json_output.h"
#include "options.h"
#include "tables.h"

#include "common/error.h"
#include "common/output_file.h"
#include "common/progress.h"
#include "capi/die_links.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <new>

namespace nbrhood_tools::explain {

namespace {

/// Explains one graph at a time, and prints its results at once.
class Run {
public:
    explicit Run(const Options &options)
        : options_(options), progress_("nbrhood-explain", options.progress, steps(options))
    {}

    std::vector<ScenarioReport> all(Layout &layout)
    {
        if (!options_.recording.empty()) {
            Scenario scenario;
            Recording recording;
            read_recorded_run(options_.recording, layout, scenario, recording);
            print_title(layout, options_.analysis.costs);
            add(analyse(scenario, layout, options_.analysis, &recording, tell()), layout);
            return std::move(reports_);
        }
        layout = make_layout(describe_machine(options_.machine), options_.machine);
        print_title(layout, options_.analysis.costs);
        if (options_.allgather) {
            add(analyse_allgather(layout, options_.analysis, tell()), layout);
            return std::move(reports_);
        }
        const int ranks = static_cast<int>(layout.cluster.node_of.size());
        for (const GraphSpec &graph : options_.graphs)
            for (const nbrhood::BlockKind kind : options_.kinds) {
                progress_.next(graph.text + ": making the graph");
                add(analyse(make_scenario(graph, ranks, kind), layout, options_.analysis, nullptr,
                            tell()),
                    layout);
            }
        return std::move(reports_);
    }

private:
    static std::size_t steps(const Options &options)
    {
        if (!options.recording.empty())
            return steps_of(options.analysis, nbrhood::BlockKind::one_per_edge, false, true);
        if (options.allgather)
            return steps_of_allgather(options.analysis);
        std::size_t steps = 0;
        for (const GraphSpec &graph : options.graphs)
            for (const nbrhood::BlockKind kind : options.kinds)
                steps += 1 + steps_of(options.analysis, kind, graph.has_counts(), false);
        return steps;
    }

    Tell tell()
    {
        return [this](const std::string &what) { progress_.next(what); };
    }

    void add(ScenarioReport report, const Layout &layout)
    {
        reports_.push_back(std::move(report));
        print_report(reports_.back(), layout, options_.analysis.costs, options_.analysis.die_costs);
    }

    const Options &options_;
    Progress progress_;
    std::vector<ScenarioReport> reports_;
};

nbrhood::DieTable dies_to_show(const Options &options)
{
    if (!options.machine.gpu_topology.empty())
        return read_gpu_topology(options.machine.gpu_topology, options.machine.machine);
    char why[256] = "";
    const std::unique_ptr<nbrhood_die_links, void (*)(nbrhood_die_links *)> links(
        nbrhood_rocm_links(why, sizeof why), nbrhood_die_links_destroy);
    if (links == nullptr)
        throw InputError(std::string("the GPU dies of this node are not known: ") + why);
    return links->table;
}

void show_gpus(const Options &options)
{
    const nbrhood::DieTable dies = dies_to_show(options);
    std::fputs(gpu_topology_text(dies).c_str(), stdout);
    const std::string failure = options.json_file.empty() ? "" : write_gpus(options, dies);
    if (!failure.empty())
        throw InputError(failure);
}

ExitStatus run(int argc, char **argv)
{
    const Options options = parse_options(argc, argv);
    if (options.show_gpus) {
        show_gpus(options);
        return exit_good;
    }
    if (!options.json_file.empty()) {
        const std::string failure = check_writable(options.json_file);
        if (!failure.empty())
            throw InputError(failure);
    }
    Layout layout;
    const std::vector<ScenarioReport> reports = Run(options).all(layout);
    print_footer();
    if (!options.json_file.empty()) {
        const std::string failure = write_json(options, layout, reports);
        if (!failure.empty())
            throw InputError(failure);
    }
    for (const ScenarioReport &report : reports)
        for (const AlgorithmReport &algorithm : report.algorithms)
            if (!algorithm.faults.empty())
                return exit_wrong_results;
    return exit_good;
}

} // namespace

} // namespace nbrhood_tools::explain

int main(int argc, char **argv)
{
    return nbrhood_tools::run_tool("nbrhood-explain",
                                   [&] { return nbrhood_tools::explain::run(argc, argv); });
}
