// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "measurement.h"

#include "gather.h"

#include "measuring/communicators.h"
#include "measuring/verification.h"

#include <memory>

namespace nbrhood_tools::allgather {

namespace {

/// The measurement on the ranks of the group: all algorithms, each on a communicator of its own.
void measure(Group &group, const Settings &settings, Comparison &comparison)
{
    const Configuration &configuration = comparison.configuration;
    const std::string what =
        std::to_string(configuration.bytes) + " bytes, " + name_of(configuration.variant);
    std::vector<std::unique_ptr<Gather>> gathers;
    std::vector<TimedMethod> timed;
    comparison.algorithms.resize(settings.labels.size());
    std::uint64_t round = 0;
    for (std::size_t i = 0; i < settings.labels.size(); ++i) {
        AlgorithmResult &result = comparison.algorithms[i];
        result.label = settings.labels[i];
        result.nonlocal =
            is_stock(result.label) ? Sent{} : group.nonlocal(result.label, configuration.bytes);
        gathers.push_back(std::make_unique<Gather>(group.communicator(result.label),
                                                   configuration.variant, configuration.bytes));
        Gather &gather = *gathers.back();
        gather.prepare();
        result.verified = true;
        for (int time = 0; time < 2; ++time)
            result.verified =
                verify(gather, gather, ++round, what + ", " + result.label, group.comm())
                && result.verified;
        timed.push_back({&gather, &gather, &result});
    }
    const Timing timing = time_methods(timed, settings.timing, 0, round, what, group.comm());
    comparison.calls = timing.calls;
    comparison.cut_short = timing.cut_short;
    for (const std::unique_ptr<Gather> &gather : gathers)
        gather->release();
    for (AlgorithmResult &result : comparison.algorithms)
        result.rate(comparison.algorithms.front(), settings.timing.seed);
}

} // namespace

Comparison compare(const Configuration &configuration, const Settings &settings, MPI_Comm comm)
{
    Comparison comparison;
    comparison.configuration = configuration;
    Group group(configuration.placement, configuration.ranks_per_node, comm);
    if (group.has_this_rank()) {
        comparison.ranks = group.ranks();
        comparison.nodes = group.nodes();
        measure(group, settings, comparison);
    }
    return comparison;
}

} // namespace nbrhood_tools::allgather
