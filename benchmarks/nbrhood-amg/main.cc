// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-amg: measures the exchanges of a BoomerAMG hierarchy by several methods. See --help.
#include "json_output.h"
#include "options.h"
#include "tables.h"

#include "common/output_file.h"
#include "common/progress.h"
#include "measuring/agreement.h"
#include "measuring/program.h"

#include <cstdio>

namespace nbrhood_tools::amg {

namespace {

/// After every level, so that a run that is stopped leaves what it has measured. Collective.
void save(const Run &run, bool complete, const std::string &file, int rank, MPI_Comm comm)
{
    if (file.empty())
        return;
    std::string failure;
    if (rank == 0)
        failure = replace_file(file, json_text(run, complete));
    agree_on_failure(failure, comm);
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
        return exit_good;
    }

    if (ranks < 2)
        throw OptionError("one rank has nobody to exchange with; run it under mpirun");

    Run run;
    run.problem = make_problem(options.rows, ranks);
    run.settings = options.settings;
    // A place that cannot be written must not show up after an hour.
    if (!options.json_file.empty())
        agree_on_failure(rank == 0 ? check_writable(options.json_file) : "", comm);
    run.environment = describe_environment(comm);
    if (rank == 0 && !run.environment.component_loaded)
        std::fprintf(stderr, "nbrhood-amg: warning: the component coll/nbrhood is not loaded; all "
                             "collectives are Open MPI's own\n");

    const Hierarchy hierarchy = make_hierarchy(run.problem, comm);
    run.setup_seconds = hierarchy.setup_seconds;
    Progress progress("nbrhood-amg", options.progress, hierarchy.levels.size());
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
    return right ? exit_good : exit_wrong_results;
}

} // namespace

} // namespace nbrhood_tools::amg

int main(int argc, char **argv)
{
    return nbrhood_tools::run_program("nbrhood-amg", argc, argv, nbrhood_tools::amg::body);
}
