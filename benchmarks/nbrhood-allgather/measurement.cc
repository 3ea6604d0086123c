// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "measurement.h"

#include "gather.h"

#include "measuring/communicators.h"
#include "measuring/verification.h"

#include <algorithm>
#include <memory>

namespace nbrhood_tools::allgather {

namespace {

/// In the group: all algorithms, each on a communicator of its own.
void measure(Group &group, const Settings &settings, Comparison &comparison)
{
    const Configuration &configuration = comparison.configuration;
    const std::string what =
        std::to_string(configuration.bytes) + " bytes, " + name_of(configuration.variant);
    std::vector<std::unique_ptr<Gather>> gathers;
    std::vector<Repeatable *> right;
    std::vector<AlgorithmResult *> results;
    comparison.algorithms.resize(settings.labels.size());
    std::uint64_t round = 0;
    for (std::size_t i = 0; i < settings.labels.size(); ++i) {
        AlgorithmResult &result = comparison.algorithms[i];
        result.label = settings.labels[i];
        result.nonlocal =
            is_stock(result.label) ? Sent{} : group.nonlocal(result.label, configuration.bytes);
        gathers.push_back(std::make_unique<Gather>(group.communicator(result.label),
                                                   configuration.variant, configuration.bytes));
        gathers.back()->prepare();
        result.verified = true;
        for (int time = 0; time < 2; ++time)
            result.verified = verify(*gathers.back(), *gathers.back(), ++round,
                                     what + ", " + result.label, group.comm())
                              && result.verified;
        if (result.verified) {
            right.push_back(gathers.back().get());
            results.push_back(&result);
        }
    }
    const Timing timing = time_exchanges(right, settings.timing, group.comm());
    comparison.calls = timing.calls;
    comparison.cut_short = timing.cut_short;
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i]->seconds = timing.seconds[i];
    for (std::size_t i = 0; i < gathers.size(); ++i) {
        AlgorithmResult &result = comparison.algorithms[i];
        if (result.verified)
            result.verified = verify(*gathers[i], *gathers[i], ++round,
                                     what + ", " + result.label + ", after timing", group.comm());
        gathers[i]->release();
    }
    const AlgorithmResult &stock = comparison.algorithms.front();
    for (AlgorithmResult &result : comparison.algorithms)
        if (!stock.seconds.empty() && !result.seconds.empty())
            result.speed_up = ratio_of_medians(stock.seconds, result.seconds, settings.timing.seed);
}

} // namespace

bool Comparison::all_verified() const
{
    return std::all_of(algorithms.begin(), algorithms.end(),
                       [](const AlgorithmResult &result) { return result.verified; });
}

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
