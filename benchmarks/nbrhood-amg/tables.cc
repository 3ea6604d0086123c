// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "published.h"
#include "summary.h"

#include "common/number_text.h"
#include "common/ratio_text.h"
#include "common/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nbrhood_tools::amg {

namespace {

/// "-" for NaN, which stands where nothing was measured.
std::string known_text(double value, const char *format)
{
    return std::isnan(value) ? "-" : number_text(value, format);
}

void print_header(const Run &run)
{
    const Problem &p = run.problem;
    print_environment(run.environment);
    std::printf("# hypre %s, BoomerAMG with its defaults (setup %.1f s): rotated anisotropic "
                "diffusion,\n#   %.0f degrees, %g, 7 points, %d x %d = %lld rows in %d x %d "
                "rectangles\n",
                hypre_version().c_str(), run.setup_seconds, Problem::angle, Problem::anisotropy,
                p.columns, p.lines, static_cast<long long>(p.columns) * p.lines, p.ranks_across,
                p.ranks_down);
}

/// A table with a row for each level: some columns of the level, and one for each method.
template <typename LevelCells, typename MethodCell>
void print_levels(const Run &run, TextTable::Row header, LevelCells level_cells,
                  MethodCell method_cell)
{
    for (const Method &method : run.settings.methods)
        header.emplace_back(method.name);
    TextTable table(std::move(header), 0);
    for (std::size_t number = 0; number < run.levels.size(); ++number) {
        const LevelResult &level = run.levels[number];
        TextTable::Row row{std::to_string(number), std::to_string(level.rows)};
        for (const std::string &cell : level_cells(level))
            row.push_back(cell);
        for (const MethodResult &method : level.methods)
            row.push_back(method_cell(level, method));
        table.add(std::move(row));
    }
    table.print();
}

TextTable::Row no_cells(const LevelResult & /*level*/)
{
    return {};
}

/// Microseconds of the first method, and the speed-ups of the others.
void print_times(const Run &run)
{
    std::printf("\nTime of an exchange: us of %s; of the others how many times faster they are\n",
                run.settings.methods.front().name);
    const auto level_cells = [&](const LevelResult &level) {
        return TextTable::Row{std::to_string(level.nonzeros),
                              std::to_string(run.environment.ranks - level.facts.isolated_ranks),
                              number_text(level.facts.mean_degree, "%.1f") + "/"
                                  + std::to_string(level.facts.max_degree),
                              std::to_string(level.calls) + (level.cut_short ? "*" : "")};
    };
    const auto method_cell = [](const LevelResult &level, const MethodResult &method) {
        if (!method.verified)
            return std::string("WRONG");
        const double base = level.methods.front().seconds();
        return &method == &level.methods.front() ? known_text(base * 1e6, "%.1f")
                                                 : known_text(base / method.seconds(), "%.2f");
    };
    print_levels(run, {"level", "rows", "nonzeros", "active", "degree", "calls"}, level_cells,
                 method_cell);
    if (std::any_of(run.levels.begin(), run.levels.end(),
                    [](const LevelResult &l) { return l.cut_short; }))
        std::printf("*: the time limit (--max-seconds) left fewer calls than asked for.\n");
}

void print_costs(const Run &run)
{
    std::printf("\nSet-up in ms: creation of the communicator + init and first exchange\n");
    print_levels(run, {"level", "rows"}, no_cells,
                 [](const LevelResult & /*level*/, const MethodResult &method) {
                     const std::string creation =
                         method.creation_seconds.empty()
                             ? ""
                             : number_text(method.creation() * 1e3, "%.1f") + " + ";
                     return creation + known_text(method.first() * 1e3, "%.2f");
                 });
}

void print_messages(const Run &run)
{
    std::printf("\nMost of any rank in an exchange: messages inside nodes / messages between nodes "
                "/ bytes of the latter\n");
    print_levels(run, {"level", "rows"}, no_cells,
                 [](const LevelResult & /*level*/, const MethodResult &method) {
                     return std::to_string(method.most.local) + "/"
                            + std::to_string(method.most.nonlocal) + "/"
                            + std::to_string(method.most.nonlocal_bytes);
                 });
}

void print_sums(const std::vector<Total> &totals)
{
    const Total &base = totals.front();
    std::printf("\nAll levels together\n");
    TextTable table({"method", "us", "speed-up", "best of both", "creation ms", "first ms",
                     "break-even", "break-even, best"},
                    1, {6, 7});
    for (const Total &total : totals) {
        TextTable::Row row{total.name,
                           known_text(total.seconds * 1e6, "%.1f"),
                           known_text(base.seconds / total.seconds, "%.2f"),
                           known_text(base.seconds / total.best_seconds, "%.2f"),
                           number_text(total.creation * 1e3, "%.1f"),
                           number_text(total.first * 1e3, "%.2f")};
        if (&total != &base)
            row.insert(row.end(),
                       {break_even_text(total.crossover) + " ("
                            + break_even_text(total.crossover_with_creation) + ")",
                        break_even_text(total.best_crossover) + " ("
                            + break_even_text(total.best_crossover_with_creation) + ")"});
        table.add(std::move(row));
    }
    table.print();
    std::printf("best of both: on each level the faster of this method and %s.\n"
                "break-even: exchanges on each level that make up for the overhead of init (in "
                "parentheses: and creation),\n"
                "  with this method on all levels, and (best) only on those where it is faster.\n",
                base.name.c_str());
}

void print_published(const Run &run)
{
    namespace p = published;
    std::printf("\nThe paper, %d ranks on %d nodes: best of both, %d rows: aggregated %.2f, "
                "deduplicated %.2f;\n  %d rows per rank: %.2f, %.2f. Break-even after %d and %d "
                "exchanges (init only). Deduplicated sends up to %.0f %%\n  fewer bytes between "
                "nodes than aggregated (level %d).\n",
                p::ranks, p::ranks / 16, p::rows, p::strong.aggregated, p::strong.deduplicated,
                p::weak_rows_per_rank, p::weak.aggregated, p::weak.deduplicated,
                p::aggregated_crossover, p::deduplicated_crossover, p::saving * 100,
                p::saving_level);
    for (const char *method : {"indices", "addresses"}) {
        const Saving saving = largest_saving(run.levels, "aggregated", method);
        if (saving.level >= 0)
            std::printf("Here: %s sends up to %.0f %% fewer (level %d).\n", method,
                        saving.fraction * 100, saving.level);
    }
}

} // namespace

void print_tables(const Run &run)
{
    print_header(run);
    print_times(run);
    print_costs(run);
    print_messages(run);
    const std::vector<Total> totals = sum_up(run.levels);
    if (!totals.empty())
        print_sums(totals);
    print_published(run);
    std::printf("\nhypre: persistent point-to-point made from hypre's own communication packages, "
                "as hypre does it when it is\n"
                "compiled for that. Times: the smallest of three averages, slowest rank; packing "
                "included.\n");
    print_caution(run.environment);
}

} // namespace nbrhood_tools::amg
