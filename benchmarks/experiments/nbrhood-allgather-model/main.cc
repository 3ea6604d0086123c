// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-allgather-model: the modelled figures of the paper on the locality-aware Bruck allgather,
// without MPI. See --help.
#include "analysis/bruck_equations.h"
#include "common/command_line.h"
#include "common/number_text.h"
#include "common/text_table.h"
#include "allgather/locality_bruck.h"
#include "machine/synthetic.h"

#include <cmath>
#include <cstdio>
#include <optional>

namespace {

using namespace nbrhood;
using nbrhood_tools::number_text;
using nbrhood_tools::TextTable;

const char *const description =
    "Models plain and locality-aware Bruck allgathers as Bienz, Gautam, Kharel (2022) do in their\n"
    "figures 7 and 8: seconds by equations 3 and 4 as printed, with equation 4 corrected, and by\n"
    "the counted messages of patterns; then the messages inside sockets, between the sockets of a\n"
    "node and between nodes, which its figure 3 distinguishes. Nothing is measured.";

/// Patterns of more ranks are not counted, because the corrected equation gives the same numbers
/// (bruck_equations_test).
constexpr int most_counted = 4096;

std::optional<double> counted(AllgatherPattern (*make)(const AllgatherShape &, Rank),
                              const BruckModel &model)
{
    const auto regions = static_cast<std::size_t>(model.regions);
    const auto per_region = static_cast<int>(model.per_region);
    if (regions * static_cast<std::size_t>(per_region) > most_counted)
        return std::nullopt;
    const Machine machine = make_machine(std::vector<int>(regions, per_region));
    const AllgatherShape shape(machine, Nesting::regions, false);
    std::vector<AllgatherPattern> patterns;
    for (Rank rank = 0; rank < shape.ranks(); ++rank)
        patterns.push_back(make(shape, rank));
    return counted_seconds(patterns, machine, model);
}

TextTable table_of_models()
{
    return TextTable(
        {"regions", "ranks", "bytes", "eq. 3", "eq. 4", "corrected", "bruck", "locality", "ratio"},
        0);
}

TextTable::Row row_of(const BruckModel &model)
{
    const auto text = [](std::optional<double> seconds) {
        return seconds ? number_text(*seconds * 1e6, "%.2f") : "-";
    };
    return {number_text(model.regions, "%.0f"),
            number_text(model.per_region, "%.0f"),
            number_text(model.block_bytes, "%.0f"),
            text(model.bruck()),
            text(model.locality_bruck_as_printed()),
            text(model.locality_bruck()),
            text(counted(bruck, model)),
            text(counted(locality_bruck, model)),
            number_text(model.bruck() / model.locality_bruck(), "%.2f")};
}

/// A row for a machine of nodes with two sockets each, counted on each link.
void print_links(const char *name, AllgatherPattern (*make)(const AllgatherShape &, Rank),
                 const std::vector<Place> &places, Level region, Nesting nesting,
                 const Costs &costs)
{
    const Machine machine(places, region);
    const AllgatherShape shape(machine, nesting, false);
    std::vector<AllgatherPattern> patterns;
    for (Rank rank = 0; rank < shape.ranks(); ++rank)
        patterns.push_back(make(shape, rank));
    const LinkCounts small = count_by_link(patterns, machine, 4, costs);
    const LinkCounts large = count_by_link(patterns, machine, 1024, costs);
    std::printf("%-24s", name);
    for (const Link link : {Link::socket, Link::node, Link::network}) {
        const auto &most = small.most[static_cast<std::size_t>(link)];
        std::printf(" %6lld %8lld", static_cast<long long>(most.messages),
                    static_cast<long long>(most.blocks));
    }
    std::printf(" %10.2f %10.2f\n", small.seconds * 1e6, large.seconds * 1e6);
}

void print_three_classes(const Costs &costs)
{
    for (const char *const machine : {"node:16 socket:2 core:8", "node:64 socket:2 core:16"}) {
        const SyntheticMachine synthetic(machine);
        std::vector<Place> places;
        for (int slot = 0; slot < synthetic.slots(); ++slot)
            places.push_back(synthetic.place(slot));
        std::printf("# Figure 3's three classes of messages: %s; messages and blocks of the rank "
                    "with the most\n%-24s %15s %15s %15s %10s %10s\n",
                    machine, "", "in a socket", "between sockets", "between nodes", "4 bytes",
                    "1 KiB");
        print_links("bruck", bruck, places, Level::node, Nesting::regions, costs);
        print_links("locality_bruck, nodes", locality_bruck, places, Level::node, Nesting::regions,
                    costs);
        print_links("locality_bruck, sockets", locality_bruck, places, Level::socket,
                    Nesting::regions, costs);
        print_links("locality_bruck, levels", locality_bruck, places, Level::node, Nesting::levels,
                    costs);
    }
}

void run(const std::string &file, bool nodes)
{
    BruckModel model;
    model.costs = file.empty() ? default_costs() : read_costs_file(file);
    model.local = nodes ? Link::node : Link::socket;
    std::printf("# %s, messages inside a region: %s; microseconds, all modelled\n",
                model.costs.name.c_str(), link_name(static_cast<int>(model.local)));
    std::printf("# Figure 7: 4 bytes a rank\n");
    TextTable seventh = table_of_models();
    model.block_bytes = 4;
    for (const int ranks : {4, 8, 16, 32}) {
        model.per_region = ranks;
        for (model.regions = ranks; model.regions <= 1024; model.regions *= ranks)
            seventh.add(row_of(model));
    }
    seventh.print();
    std::printf("# Figure 8: 1,024 regions of 16 (no power of 16: here 256 and 4,096)\n");
    TextTable eighth = table_of_models();
    model.per_region = 16;
    for (const double regions : {256.0, 4096.0}) {
        model.regions = regions;
        for (model.block_bytes = 4; model.block_bytes <= 1024; model.block_bytes *= 4)
            eighth.add(row_of(model));
    }
    eighth.print();
    std::printf(
        "\neq. 3, eq. 4: as printed; corrected: log2 of the region's ranks local messages for each "
        "local\nallgather, and the bytes of all steps. bruck, locality: counted from patterns (of "
        "up to %d\nranks; the first ranks of regions at work, which may save a step). ratio: eq. 3 "
        "/ corrected.\n",
        most_counted);
    print_three_classes(model.costs);
}

} // namespace

int main(int argc, char **argv)
{
    return nbrhood_tools::run_tool("nbrhood-allgather-model", [&] {
        std::string costs;
        bool nodes = false;
        CLI::App app(description, "nbrhood-allgather-model");
        app.add_option("-c,--costs", costs, "a file of costs; default: EDR InfiniBand");
        app.add_flag("--nodes", nodes, "regions are nodes; default: sockets, as the paper's");
        nbrhood_tools::parse_command_line(app, argc, argv);
        run(costs, nodes);
        return nbrhood_tools::exit_good;
    });
}
