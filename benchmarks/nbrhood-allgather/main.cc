// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-allgather: measures MPI_Allgather with several algorithms in one run. See --help.
#include "options.h"
#include "output.h"

#include "common/output_file.h"
#include "common/progress.h"
#include "measuring/agreement.h"
#include "measuring/program.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools::allgather {

namespace {

/// Collective: what rank 0 cannot write stops all.
void save(const Options &options, const Environment &environment,
          const std::vector<Comparison> &comparisons, bool complete, int rank)
{
    if (options.json_file.empty())
        return;
    std::string failure;
    if (rank == 0)
        failure = replace_file(options.json_file,
                               json_text(environment, options.settings, comparisons, complete));
    agree_on_failure(failure, MPI_COMM_WORLD);
}

ExitStatus body(int argc, char **argv, int rank)
{
    const Options options = parse_options(argc, argv);
    if (!options.help.empty()) {
        if (rank == 0)
            std::fputs(options.help.c_str(), stdout);
        return exit_good;
    }
    const auto environment = describe_environment(MPI_COMM_WORLD);
    std::vector<Comparison> comparisons;
    save(options, environment, comparisons, false, rank);
    if (rank == 0 && !environment.component_loaded)
        std::fputs("nbrhood-allgather: warning: the component coll/nbrhood is not loaded: all "
                   "columns show Open MPI's own\n",
                   stderr);
    Progress progress("nbrhood-allgather", options.progress, options.configurations.size());
    if (rank == 0)
        print_header(environment);
    int right = 1;
    for (const Configuration &configuration : options.configurations) {
        if (rank == 0)
            progress.next(std::to_string(configuration.bytes) + " bytes, by "
                          + name_of(configuration.placement));
        comparisons.push_back(compare(configuration, options.settings, MPI_COMM_WORLD));
        right = right != 0 && comparisons.back().all_verified() ? 1 : 0;
        if (rank == 0)
            print(comparisons.back());
        save(options, environment, comparisons, false, rank);
    }
    save(options, environment, comparisons, true, rank);
    if (rank == 0)
        print_footer(environment, comparisons);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return right != 0 ? exit_good : exit_wrong_results;
}

} // namespace

} // namespace nbrhood_tools::allgather

int main(int argc, char **argv)
{
    return nbrhood_tools::run_program("nbrhood-allgather", argc, argv,
                                      nbrhood_tools::allgather::body);
}
