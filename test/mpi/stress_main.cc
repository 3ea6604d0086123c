// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-stress: random episodes with random delays for a given time, everything verified.
#include "stress_episode.h"

#include <cstdio>

using namespace nbrhood_test;

namespace {

/// Rank 0 decides that the time is over, so that all ranks stop at the same episode.
bool go_on(int rank, double end)
{
    int more = rank == 0 && MPI_Wtime() < end;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more != 0;
}

int run(const Options &options, int rank)
{
    const Parameters parameters;
    StressSettings settings;
    settings.seed = static_cast<std::uint64_t>(options.number("--seed"));
    settings.algorithms = algorithms_of(options.list("--algorithms"));
    settings.combining_threshold = parameters.read("coll_nbrhood_combining_threshold", 0);
    if (settings.combining_threshold
        == 0) // the model's threshold, which differs from graph to graph
        settings.combining_threshold = 4096;
    settings.relay_capacity = parameters.read("coll_nbrhood_preposted_size", 65536);
    const double begin = MPI_Wtime(),
                 end = begin + static_cast<double>(options.number("--seconds"));
    double next_report = begin + 10;
    long episodes = options.number("--first"), operations = 0;
    const long first = episodes;
    for (; go_on(rank, end); ++episodes) {
        watchdog::last_line("FAIL stress: no progress in episode " + std::to_string(episodes)
                            + " with seed " + options.text("--seed") + "\n0 passed, 1 failed");
        Episode episode(settings, episodes);
        const std::string failure = agree_on_failure(episode.run());
        operations += episode.operations();
        if (!failure.empty()) {
            if (rank == 0)
                std::printf("FAIL stress: %s, seed %s\n0 passed, 1 failed\n", failure.c_str(),
                            options.text("--seed").c_str());
            return 1;
        }
        if (rank == 0 && MPI_Wtime() >= next_report) {
            std::printf("# %.0f s: %ld episodes, %ld operations on rank 0\n", MPI_Wtime() - begin,
                        episodes + 1 - first, operations);
            std::fflush(stdout);
            next_report += 10;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &operations, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("PASS stress: %ld episodes, %ld operations, seed %s\n1 passed, 0 failed\n",
                    episodes - first, operations, options.text("--seed").c_str());
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const Options options(argc, argv,
                          {{"--seconds", "600"},
                           {"--seed", "1"},
                           {"--algorithms", "all"},
                           {"--timeout", "180"},
                           {"--buffers", "host"},
                           {"--first", "0"}},
                          {});
    choose_memory(memory_named(options.text("--buffers")));
    const std::vector<std::string> algorithms = algorithms_of(options.list("--algorithms"));
    if (!algorithms.empty())
        choose_by_environment(algorithms.back());
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    watchdog::start(rank, static_cast<unsigned>(options.number("--timeout")));
    const int status = run(options, rank);
    watchdog::state("MPI_Finalize");
    MPI_Finalize();
    watchdog::stop();
    return status;
}
