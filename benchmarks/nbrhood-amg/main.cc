// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-amg: measures the exchanges of a BoomerAMG hierarchy by several methods. See --help.
#include "options.h"
#include "output.h"
#include "parts.h"

#include "common/output_file.h"
#include "common/progress.h"
#include "measuring/agreement.h"
#include "measuring/algorithm_labels.h"
#include "measuring/program.h"

#include <cstdio>

namespace nbrhood_tools::amg {

namespace {

ExitStatus body(int argc, char **argv, int rank)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const Options options = parse_options(argc, argv, ranks);
    if (ranks < 2)
        throw OptionError("one rank has nobody to exchange with; run it under mpirun");

    Run run;
    run.problem = make_problem(options.rows, ranks);
    run.settings = options.settings;
    const bool exports = !options.export_directory.empty();
    const Problem parts = exports ? make_problem(options.rows, options.parts) : Problem();
    if (exports)
        agree_on_failure(rank == 0 ? check_writable(options.export_directory + "/level-0.mtx") : "",
                         comm);
    // A file that cannot be written must be noticed at once, not after an hour.
    if (!options.json_file.empty())
        agree_on_failure(rank == 0 ? check_writable(options.json_file) : "", comm);
    run.environment = describe_environment(comm);
    if (rank == 0)
        warn_unless_loaded("nbrhood-amg", run.environment);

    const Hierarchy hierarchy = make_hierarchy(run.problem, comm);
    run.setup_seconds = hierarchy.setup_seconds;
    if (exports)
        export_parts(options.export_directory, hierarchy, run.problem, parts, comm);
    Progress progress("nbrhood-amg", options.progress, hierarchy.levels.size());
    bool right = true;
    for (const Level &level : exports ? std::vector<Level>() : hierarchy.levels) {
        const std::string title = "level " + std::to_string(run.levels.size()) + ", "
                                  + std::to_string(level.rows) + " rows";
        if (rank == 0)
            progress.next(title);
        run.levels.push_back(measure_level(level, title, run.settings, comm));
        right = right && run.levels.back().all_verified();
        save_results(
            options.json_file, [&] { return json_text(run, false); }, comm);
    }
    save_results(
        options.json_file, [&] { return json_text(run, true); }, comm);
    if (rank == 0 && !exports)
        print_tables(run);
    return right ? exit_good : exit_wrong_results;
}

} // namespace

} // namespace nbrhood_tools::amg

int main(int argc, char **argv)
{
    return nbrhood_tools::run_program("nbrhood-amg", argc, argv, nbrhood_tools::amg::body);
}
