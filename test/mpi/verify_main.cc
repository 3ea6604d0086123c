// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-verify: compares every neighbourhood entry point with a computation from the graph, case
// by case.
#include "common_random.h"
#include "verify_case.h"

#include <cstdio>

using namespace nbrhood_test;

namespace {

/// A case together with the algorithm it runs under.
struct Job {
    std::string name;
    std::string algorithm;
    const Case *test;
};

const std::vector<const std::vector<Case> *> &case_lists()
{
    static const std::vector<const std::vector<Case> *> lists = {&graph_cases(),
                                                                 &topology_cases(),
                                                                 &inherited_cases(),
                                                                 &comm_dup_cases(),
                                                                 &changing_cases(),
                                                                 &trial_cases(),
                                                                 &datatype_cases(),
                                                                 &size_cases(),
                                                                 &request_cases(),
                                                                 &lifetime_cases(),
                                                                 &traffic_cases(),
                                                                 &pvar_cases(),
                                                                 &alltoallv_cases(),
                                                                 &device_cases(),
                                                                 &duplicate_cases(),
                                                                 &duplicate_request_cases(),
                                                                 &duplicate_library_cases(),
                                                                 &duplicate_traffic_cases()};
    return lists;
}

/// A filter that equals the name of a case, with or without the algorithm, selects only that case.
bool names_one(const std::string &filter, const Case &test, const std::string &algorithm)
{
    return filter == test.name || filter == std::string(test.name) + "/" + algorithm;
}

/// Cases on duplicates are about alltoallv and alltoallw. If the algorithm does not serve these,
/// they would only repeat the cases of auto. Those of MPI_Alltoallv do not depend on the algorithm.
bool is_about(const Case &test, const std::string &algorithm)
{
    const std::string name = test.name;
    if (name.compare(0, 9, "alltoallv") == 0)
        return algorithm == "auto" || algorithm == "direct";
    return serves(algorithm, Operation::alltoallv) || name.find("duplicates-") == std::string::npos;
}

/// Without the component, Open MPI's own functions would touch device memory; and some cases need a
/// device.
bool suits(Memory memory, const Case &test)
{
    const std::string name = test.name;
    if (memory == Memory::host)
        return name.compare(0, 7, "device-") != 0;
    return name.find("without-the-component") == std::string::npos
           && name != "excluded-on-some-ranks";
}

std::vector<Job> select_jobs(const Options &options)
{
    const Memory memory = memory_named(options.text("--buffers"));
    const std::string filter = options.text("--filter");
    const std::vector<std::string> skipped = options.list("--skip");
    std::vector<Job> exact, partial;
    for (const std::string &algorithm : algorithms_of(options.list("--algorithms"))) {
        for (const auto *list : case_lists()) {
            for (const Case &test : *list) {
                const std::string name = std::string(test.name) + "/" + algorithm;
                bool wanted = test.by_default && is_about(test, algorithm) && suits(memory, test)
                              && name.find(filter) != std::string::npos;
                for (const std::string &part : skipped)
                    wanted = wanted && name.find(part) == std::string::npos;
                if (wanted)
                    partial.push_back({name, algorithm, &test});
                if (names_one(filter, test, algorithm))
                    exact.push_back({name, algorithm, &test});
            }
        }
    }
    return exact.empty() ? partial : exact;
}

std::vector<EntryPoint> select_entries(const std::string &filter)
{
    std::vector<EntryPoint> chosen;
    for (const EntryPoint &entry : entry_points()) {
        if (std::string(entry.name).find(filter) != std::string::npos)
            chosen.push_back(entry);
    }
    return chosen;
}

/// Makes the calls that begin a build, if few are enough; MPI_Finalize, which comes next, has to
/// end the build. Returns the error.
std::string begin_a_build(Context &context)
{
    const Topology topology = context.random_topology(0.5);
    const Communicator comm = context.create(topology);
    run_entries(context, {entry_point(Operation::alltoallv, Variant::blocking)}, comm, topology,
                varied_workload(context.seed));
    return context.conclude();
}

int run_jobs(const std::vector<Job> &jobs, const Options &options, Context &context,
             const Parameters &parameters)
{
    Results results(context.rank, options);
    std::string chosen;
    for (const Job &job : jobs) {
        context.algorithm = job.algorithm;
        if (job.algorithm != chosen && context.ours()) {
            // Only graph and cart topologies depend on the parameter; the others name the algorithm
            // with an info key.
            if (!parameters.choose_algorithm(job.algorithm) && !chosen.empty()
                && context.rank == 0) {
                std::printf("# parameters cannot be changed: graph and cart still use %s\n",
                            chosen.c_str());
            }
            chosen = job.algorithm;
        }
        context.seed = hash_of(static_cast<std::uint64_t>(options.number("--seed")), 7);
        results.begin(job.name);
        job.test->run(context);
        watchdog::detail("agreeing on the result");
        results.end(context.conclude());
    }
    results.begin("calls before MPI_Finalize");
    const std::string failure = begin_a_build(context);
    if (!failure.empty())
        results.end(failure);
    return results.finish();
}

} // namespace

int main(int argc, char **argv)
{
    const Options options(argc, argv,
                          {{"--algorithms", "all"},
                           {"--filter", ""},
                           {"--skip", ""},
                           {"--entries", ""},
                           {"--seed", "1"},
                           {"--timeout", "180"},
                           {"--buffers", "host"},
                           {"--churn", "10000"}},
                          {"--list", "--threads"});
    const std::vector<Job> jobs = select_jobs(options);
    if (options.flag("--list")) {
        for (const Job &job : jobs)
            std::printf("%s\n", job.name.c_str());
        return 0;
    }
    choose_memory(memory_named(options.text("--buffers")));
    if (!jobs.empty())
        choose_by_environment(jobs.front().algorithm);

    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv,
                    options.flag("--threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int status = 0;
    {
        const Parameters parameters;
        Context context;
        MPI_Comm_rank(MPI_COMM_WORLD, &context.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &context.size);
        context.entries = select_entries(options.text("--entries"));
        context.threads = provided == MPI_THREAD_MULTIPLE;
        context.churn = options.number("--churn");
        context.combining_threshold = parameters.read("coll_nbrhood_combining_threshold", 0);
        if (context.combining_threshold
            == 0) // the model's threshold, which differs from graph to graph
            context.combining_threshold = 4096;
        context.relay_capacity = parameters.read("coll_nbrhood_preposted_size", 65536);
        if (context.rank == 0) {
            std::printf("# %d ranks, component %s, combining threshold %ld, preposted size %ld\n",
                        context.size, parameters.component_present() ? "present" : "absent",
                        context.combining_threshold, context.relay_capacity);
        }
        watchdog::start(context.rank, static_cast<unsigned>(options.number("--timeout")));
        status = run_jobs(jobs, options, context, parameters);
    }
    MPI_Finalize();
    watchdog::stop();
    if (device_use().pinned != 0) {
        std::printf("FAIL: host memory is still pinned after MPI_Finalize\n");
        return 1;
    }
    return status;
}
