// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "tables.h"

#include "published.h"
#include "summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nbrhood_tools::amg {

namespace {

std::string text_of(double value, const char *format)
{
    if (std::isnan(value))
        return "-";
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string crossover_text(double exchanges)
{
    return std::isinf(exchanges) ? "never" : text_of(std::ceil(exchanges), "%.0f");
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

/// "level rows": what begins a line of each table.
void print_level(std::size_t number, const LevelResult &level)
{
    std::printf("%5zu %8lld", number, static_cast<long long>(level.rows));
}

void print_names(const Run &run, int width)
{
    for (const Method &method : run.settings.methods)
        std::printf(" %*s", width, method.name);
    std::printf("\n");
}

/// Microseconds of the first method, and of the others how many times faster they are.
void print_times(const Run &run)
{
    std::printf("\nTime of an exchange: us of %s; of the others how many times faster they are\n",
                run.settings.methods.front().name);
    std::printf("%5s %8s %9s %6s %10s %6s", "level", "rows", "nonzeros", "active", "degree",
                "calls");
    print_names(run, 10);
    for (std::size_t number = 0; number < run.levels.size(); ++number) {
        const LevelResult &level = run.levels[number];
        const std::string degree =
            text_of(level.facts.mean_degree, "%.1f") + "/" + std::to_string(level.facts.max_degree);
        print_level(number, level);
        std::printf(" %9lld %6d %10s %6d", static_cast<long long>(level.nonzeros),
                    run.environment.ranks - level.facts.isolated_ranks, degree.c_str(),
                    level.calls);
        for (const MethodResult &method : level.methods) {
            const bool base = &method == &level.methods.front();
            const std::string text =
                base ? text_of(method.seconds() * 1e6, "%.1f")
                     : text_of(level.methods.front().seconds() / method.seconds(), "%.2f");
            std::printf(" %10s", method.verified ? text.c_str() : "WRONG");
        }
        std::printf("%s\n", level.cut_short ? " *" : "");
    }
    const bool cut = std::any_of(run.levels.begin(), run.levels.end(),
                                 [](const LevelResult &l) { return l.cut_short; });
    if (cut)
        std::printf("*: the time limit (--max-seconds) left fewer calls than asked for.\n");
}

void print_costs(const Run &run)
{
    std::printf("\nSet-up in ms: creation of the communicator + init and first exchange\n");
    std::printf("%5s %8s", "level", "rows");
    print_names(run, 14);
    for (std::size_t number = 0; number < run.levels.size(); ++number) {
        const LevelResult &level = run.levels[number];
        print_level(number, level);
        for (const MethodResult &method : level.methods) {
            const std::string creation = method.creation_seconds.empty()
                                             ? ""
                                             : text_of(method.creation() * 1e3, "%.1f") + " + ";
            std::printf(" %14s", (creation + text_of(method.first() * 1e3, "%.2f")).c_str());
        }
        std::printf("\n");
    }
}

void print_messages(const Run &run)
{
    std::printf("\nMost of any rank in an exchange: messages inside nodes / messages between nodes "
                "/ bytes of the latter\n");
    std::printf("%5s %8s", "level", "rows");
    print_names(run, 14);
    for (std::size_t number = 0; number < run.levels.size(); ++number) {
        const LevelResult &level = run.levels[number];
        print_level(number, level);
        for (const MethodResult &method : level.methods) {
            const std::string text = std::to_string(method.most.local) + "/"
                                     + std::to_string(method.most.nonlocal) + "/"
                                     + std::to_string(method.most.nonlocal_bytes);
            std::printf(" %14s", text.c_str());
        }
        std::printf("\n");
    }
}

void print_sums(const std::vector<Total> &totals)
{
    const Total &base = totals.front();
    std::printf("\nAll levels together\n");
    std::printf("%-10s %10s %8s %14s %11s %9s  %-17s %s\n", "method", "us", "speed-up",
                "best of both", "creation ms", "first ms", "break-even", "break-even, best");
    for (const Total &total : totals) {
        const bool first = &total == &base;
        const std::string pays = crossover_text(total.crossover) + " ("
                                 + crossover_text(total.crossover_with_creation) + ")";
        const std::string best_pays = crossover_text(total.best_crossover) + " ("
                                      + crossover_text(total.best_crossover_with_creation) + ")";
        std::printf("%-10s %10s %8s %14s %11.1f %9.2f  %-17s %s\n", total.name.c_str(),
                    text_of(total.seconds * 1e6, "%.1f").c_str(),
                    text_of(base.seconds / total.seconds, "%.2f").c_str(),
                    text_of(base.seconds / total.best_seconds, "%.2f").c_str(),
                    total.creation * 1e3, total.first * 1e3, first ? "" : pays.c_str(),
                    first ? "" : best_pays.c_str());
    }
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
