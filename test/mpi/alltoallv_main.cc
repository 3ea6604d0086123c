// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-stress-alltoallv: a number of random calls of MPI_Alltoallv and MPI_Alltoallw, all
// variants, everything verified.
#include "alltoallv_episode.h"
#include "common_run.h"

#include <cstdio>
#include <thread>

using namespace nbrhood_test;

namespace {

/// Episodes that take place at the same time, a thread for each, each with its own parent.
class Lanes {
public:
    explicit Lanes(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            MPI_Comm made = MPI_COMM_NULL;
            MPI_Comm_dup(MPI_COMM_WORLD, &made);
            parents_.emplace_back(made);
        }
    }

    long count() const { return static_cast<long>(parents_.size()); }

    /// Runs one episode in each lane, with numbers from `first` on. Returns this rank's failure,
    /// and adds the number of calls to `calls`.
    std::string run(std::uint64_t seed, long first, long &calls)
    {
        std::vector<std::string> failures(parents_.size());
        std::vector<long> made(parents_.size());
        const auto body = [&](std::size_t lane) {
            AlltoallvEpisode episode(seed, first + static_cast<long>(lane), parents_[lane].get());
            failures[lane] = episode.run();
            made[lane] = episode.calls();
        };
        std::vector<std::thread> threads;
        for (std::size_t lane = 1; lane < parents_.size(); ++lane)
            threads.emplace_back(body, lane);
        body(0);
        for (std::thread &thread : threads)
            thread.join();
        for (long one : made)
            calls += one;
        for (const std::string &failure : failures)
            if (!failure.empty())
                return failure;
        return "";
    }

private:
    std::vector<Communicator> parents_;
};

int run(const Options &options, int rank, std::size_t lanes_wanted)
{
    const auto seed = static_cast<std::uint64_t>(options.number("--seed"));
    const std::string given = "seed " + options.text("--seed");
    const long first = options.number("--first");
    long episode = first, calls = 0;
    Lanes lanes(lanes_wanted);
    // The number of calls is the same on all ranks.
    for (; calls < options.number("--calls"); episode += lanes.count()) {
        watchdog::last_line("FAIL stress-alltoallv: no progress in episode "
                            + std::to_string(episode) + ", " + given + "\n0 passed, 1 failed");
        const std::string failure = agree_on_failure(lanes.run(seed, episode, calls));
        if (!failure.empty()) {
            if (rank == 0)
                std::printf("FAIL stress-alltoallv: %s, %s\n0 passed, 1 failed\n", failure.c_str(),
                            given.c_str());
            return 1;
        }
    }
    if (rank == 0)
        std::printf("PASS stress-alltoallv: %ld episodes, %ld calls on each rank, %s\n1 passed, 0 "
                    "failed\n",
                    episode - first, calls, given.c_str());
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const Options options(
        argc, argv, {{"--calls", "1000"}, {"--seed", "1"}, {"--first", "0"}, {"--timeout", "180"}},
        {"--threads"});
    const bool threads = options.flag("--threads");
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    watchdog::start(rank, static_cast<unsigned>(options.number("--timeout")));
    const int status = run(options, rank, provided == MPI_THREAD_MULTIPLE ? 3 : 1);
    watchdog::state("MPI_Finalize");
    MPI_Finalize();
    watchdog::stop();
    return status;
}
