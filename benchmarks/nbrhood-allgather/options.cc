// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "common/command_line.h"
#include "common/named_values.h"
#include "common/papers.h"
#include "measuring/algorithm_labels.h"
#include "measuring/timing_options.h"
#include "allgather/choice.h"

namespace nbrhood_tools::allgather {

namespace {

const char *const description =
    "Measures MPI_Allgather with several algorithms in one run, on all ranks and on some of each\n"
    "node, placed by slot and by node. Run it under mpirun. Algorithm 'stock' is Open MPI's own,\n"
    "any other name is one of coll/nbrhood (coll_nbrhood_allgather_algorithm).";

const char *const footer = R"(
Placements
  by slot: ranks fill node after node; by node: they go round robin over the nodes.
Examples
  mpirun -np 64 nbrhood-allgather --sizes 8,64,512 --algorithms all
  mpirun -np 64 nbrhood-allgather --ranks-per-node 2,4,8,16 --sizes 8 --algorithms all \
      --placements slot,node --json allgather.json
Exit status: 0 good, 1 an algorithm led to a wrong result, 2 bad options.)";

std::vector<std::string> known_algorithms()
{
    std::vector<std::string> names;
    for (int choice = 0; const char *name = nbrhood::allgather_choice_name(choice); ++choice)
        names.emplace_back(name);
    return names;
}

std::vector<std::string> algorithms_named(const std::vector<std::string> &names)
{
    std::vector<std::string> labels;
    for (const std::string &name : names) {
        if (name == "all")
            // "default" selects the same functions as stock, in another way.
            for (const std::string &known : known_algorithms()) {
                if (known != nbrhood::allgather_choice_name(nbrhood::kAllgatherDefault))
                    labels.push_back(known);
            }
        else
            labels.push_back(name);
    }
    return labels;
}

} // namespace

Options parse_options(int argc, char **argv)
{
    Options options;
    TimingSettings &timing = options.settings.timing;
    std::vector<std::size_t> sizes{8, 64, 512, 4096};
    std::vector<int> ranks_per_node{0};
    std::vector<std::string> placements{"slot"};
    std::vector<std::string> variants{"blocking"};
    std::vector<std::string> algorithms{"auto"};
    bool no_twin = false;

    std::string paper; // export_paper() took it
    CLI::App app(description, "nbrhood-allgather");
    app.footer(footer);
    add_list(app, "-b,--sizes", sizes, "bytes that a rank contributes (8, 4KiB, ...)")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 26));
    add_list(app, "-r,--ranks-per-node", ranks_per_node,
             "how many ranks of each node take part, at most; 0: all")
        ->check(CLI::Range(0, 1 << 20));
    add_list(app, "-P,--placements", placements, "slot, node, or all");
    add_list(app, "-V,--variant", variants, "blocking, nonblocking, persistent, or all");
    add_list(app, "-a,--algorithms", algorithms, "algorithms to compare with stock, or all");
    add_timing_options(app, timing, no_twin, "each table row's group");
    add_paper_option(app, paper);
    add_result_options(app, options.json_file, options.progress);

    parse_command_line(app, argc, argv);
    options.settings.labels =
        complete_labels(algorithms_named(algorithms), known_algorithms(), !no_twin);
    const auto placed =
        look_up<Placement>("--placements", placements,
                           {{"slot", Placement::by_slot}, {"node", Placement::by_node}}, "");
    for (Placement placement : placed)
        for (int ranks : ranks_per_node)
            for (Variant variant : variants_named(variants))
                for (std::size_t bytes : sizes)
                    options.configurations.push_back({placement, ranks, variant, bytes});
    return options;
}

} // namespace nbrhood_tools::allgather
