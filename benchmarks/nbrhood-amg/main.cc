// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-amg: measures the exchanges of a BoomerAMG hierarchy by several methods. See --help.
#include "agreement.h"
#include "json_output.h"
#include "options.h"
#include "output_file.h"
#include "program.h"
#include "progress.h"
#include "tables.h"

#include <cstdio>

namespace nbrhood_amg {

namespace {

using nbrhood_bench::ExitStatus;

/// Writes the file after every level, so that a stopped run leaves its results so far. Collective.
void save(const Run &run, bool complete, const std::string &file, int rank, MPI_Comm comm)
{
    if (file.empty())
        return;
    std::string failure;
    if (rank == 0)
        failure = nbrhood_bench::replace_file(file, json_text(run, complete));
    nbrhood_bench::agree_on_failure(failure, comm);
}

ExitStatus body(int argc, char **argv, int rank)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const Options options = parse_options(argc, argv, ranks);
    if (!options.help.empty()) {
        if (rank == 0)
            std::fputs(options.help.c_str(), stdout);
        return nbrhood_bench::exit_good;
    }

    if (ranks < 2)
        throw nbrhood_bench::OptionError(
            "one rank has nobody to exchange with; run it under mpirun");

    Run run;
    run.problem = make_problem(options.rows, ranks);
    run.settings = options.settings;
    // A file that cannot be written must be noticed at once, not after an hour.
    if (!options.json_file.empty())
        nbrhood_bench::agree_on_failure(
            rank == 0 ? nbrhood_bench::check_writable(options.json_file) : "", comm);
    run.environment = nbrhood_bench::describe_environment(comm);
    if (rank == 0 && !run.environment.component_loaded)
        std::fprintf(stderr, "nbrhood-amg: warning: the component coll/nbrhood is not loaded; all "
                             "collectives are Open MPI's own\n");

    const Hierarchy hierarchy = make_hierarchy(run.problem, comm);
    run.setup_seconds = hierarchy.setup_seconds;
    nbrhood_bench::Progress progress("nbrhood-amg", options.progress, hierarchy.levels.size());
    bool right = true;
    for (const Level &level : hierarchy.levels) {
        const std::string title = "level " + std::to_string(run.levels.size()) + ", "
                                  + std::to_string(level.rows) + " rows";
        if (rank == 0)
            progress.next(title);
        run.levels.push_back(measure_level(level, title, run.settings, comm));
        right = right && run.levels.back().all_verified();
        save(run, false, options.json_file, rank, comm);
    }
    save(run, true, options.json_file, rank, comm);
    if (rank == 0)
        print_tables(run);
    return right ? nbrhood_bench::exit_good : nbrhood_bench::exit_wrong_results;
}

} // namespace

} // namespace nbrhood_amg

int main(int argc, char **argv)
{
    return nbrhood_bench::run_program("nbrhood-amg", argc, argv, nbrhood_amg::body);
}
