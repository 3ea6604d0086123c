// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-allgather: measures MPI_Allgather with several algorithms in one run. See --help.
#include "options.h"
#include "output.h"

#include "common/progress.h"
#include "measuring/agreement.h"
#include "measuring/algorithm_labels.h"
#include "measuring/program.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools::allgather {

namespace {

ExitStatus body(int argc, char **argv, int rank)
{
    const Options options = parse_options(argc, argv);
    const auto environment = describe_environment(MPI_COMM_WORLD);
    std::vector<Comparison> comparisons;
    const auto save = [&](bool complete) {
        save_results(
            options.json_file,
            [&] { return json_text(environment, options.settings, comparisons, complete); },
            MPI_COMM_WORLD);
    };
    save(false);
    if (rank == 0)
        warn_unless_loaded("nbrhood-allgather", environment);
    const Table table(options.settings.labels);
    Progress progress("nbrhood-allgather", options.progress, options.configurations.size());
    if (rank == 0)
        table.print_header(environment);
    int right = 1;
    for (const Configuration &configuration : options.configurations) {
        if (rank == 0)
            progress.next(std::to_string(configuration.bytes) + " bytes, by "
                          + name_of(configuration.placement));
        comparisons.push_back(compare(configuration, options.settings, MPI_COMM_WORLD));
        right = right != 0 && all_verified(comparisons.back().algorithms) ? 1 : 0;
        if (rank == 0)
            table.print(comparisons.back());
        save(false);
    }
    save(true);
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
