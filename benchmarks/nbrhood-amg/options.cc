// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "common/command_line.h"
#include "common/papers.h"
#include "measuring/timing_options.h"

#include <algorithm>

namespace nbrhood_tools::amg {

namespace {

constexpr std::int64_t most_rows = 1 << 28; // hypre's row numbers are int by default

const char *const description =
    "Measures the exchange before a matrix-vector product on each level of a BoomerAMG hierarchy,\n"
    "by several methods, on hypre's own communication packages. Run it under mpirun.";

std::string footer()
{
    std::string text = "Methods\n";
    for (const Method &method : all_methods())
        text += "  " + std::string(method.name)
                + std::string(12 - std::string(method.name).size(), ' ') + method.text + "\n";
    return text
           + "Examples\n"
             "  mpirun -np 64 nbrhood-amg --json amg.json\n"
             "  mpirun -np 32 nbrhood-amg --rows-per-rank 16384 --methods aggregated,indices\n"
             "  plot-bench amg.json -o amg.svg\n"
             "Exit status: 0 good, 1 a method delivered wrong data, 2 bad options, 3 bad input.";
}

std::string names_of(const std::vector<Method> &methods)
{
    std::string names;
    for (const Method &method : methods)
        names += (names.empty() ? "" : ", ") + std::string(method.name);
    return names;
}

/// The first method is always included, since all ratios refer to it.
std::vector<Method> look_up(const std::vector<std::string> &names)
{
    const std::vector<Method> &all = all_methods();
    std::vector<Method> methods;
    for (const std::string &name : names)
        if (std::none_of(all.begin(), all.end(), [&](const Method &w) { return w.name == name; }))
            throw OptionError("--methods: unknown name '" + name + "' (known: " + names_of(all)
                              + ")");
    for (const Method &method : all)
        if (&method == &all.front()
            || std::find(names.begin(), names.end(), method.name) != names.end())
            methods.push_back(method);
    return methods;
}

} // namespace

Options parse_options(int argc, char **argv, int ranks)
{
    Options options;
    options.rows = 524288;
    std::int64_t rows_per_rank = 0;
    std::vector<std::string> names;
    for (const Method &method : all_methods())
        names.emplace_back(method.name);

    std::string paper; // export_paper() took it
    CLI::App app(description, "nbrhood-amg");
    app.footer(footer());
    CLI::Option *rows =
        app.add_option("-r,--rows", options.rows, "rows of the matrix (strong scaling)")
            ->check(CLI::Range(std::int64_t{1}, most_rows))
            ->capture_default_str();
    app.add_option("--rows-per-rank", rows_per_rank, "rows for each rank (weak scaling)")
        ->check(CLI::Range(std::int64_t{1}, most_rows))
        ->excludes(rows);
    add_list(app, "--methods", names, "methods to compare with hypre, see below");
    app.add_option("-c,--calls", options.settings.calls, "exchanges in each of three averages")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    add_creation_option(app, options.settings.creations);
    app.add_option("--max-seconds", options.settings.max_seconds,
                   "time limit of each level: beyond it fewer exchanges")
        ->check(number_between(1e-3, 1e6))
        ->capture_default_str();
    CLI::Option *parts =
        app.add_option("--parts", options.parts, "ranks to which --export deals the rows")
            ->check(CLI::Range(2, 1 << 20));
    app.add_option(
           "--export", options.export_directory,
           "measure nothing: write the exchange of each level, as it would be among --parts "
           "ranks, into this directory, for nbrhood-explain --graph matrix:FILE")
        ->needs(parts);
    add_paper_option(app, paper);
    add_result_options(app, options.json_file, options.progress);

    parse_command_line(app, argc, argv);
    if (rows_per_rank > 0)
        options.rows = rows_per_rank * ranks;
    if (options.rows > most_rows)
        throw OptionError("more than " + std::to_string(most_rows) + " rows");
    options.settings.methods = look_up(names);
    return options;
}

} // namespace nbrhood_tools::amg
