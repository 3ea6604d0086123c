// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather_analysis.h"

#include "flow_counts.h"

#include "analysis/allgather_flow.h"
#include "analysis/allgather_proof.h"
#include "allgather/registry.h"

#include <algorithm>

namespace nbrhood_tools::explain {

namespace {

using nbrhood::AllgatherAlgorithm;
using nbrhood::AllgatherPattern;
using nbrhood::AllgatherShape;
using nbrhood::Rank;

const AllgatherAlgorithm &allgather_row_of(const std::string &name)
{
    const auto &rows = nbrhood::allgather_algorithms();
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const AllgatherAlgorithm &row) { return name == row.name; });
}

/// With `ring` each rank has a message for each other rank, which takes gigabytes for thousands of
/// ranks. The last rank is no leader, so its pattern is as long as most.
bool is_left_out(const AllgatherAlgorithm &row, const AllgatherShape &shape,
                 const AnalysisSettings &settings)
{
    constexpr std::size_t most_operations = 10000000;
    const auto ranks = static_cast<std::size_t>(shape.ranks());
    return settings.all_algorithms
           && row.make(shape, shape.ranks() - 1).pattern.operations.size()
                  > most_operations / ranks;
}

AlgorithmReport report_on(const AllgatherAlgorithm &row, const AllgatherShape &shape,
                          const Layout &layout, const AnalysisSettings &settings, const Tell &tell)
{
    AlgorithmReport report;
    report.name = row.name;
    report.source = row.summary;
    tell(std::string("building ") + row.name);
    std::vector<AllgatherPattern> patterns;
    patterns.reserve(static_cast<std::size_t>(shape.ranks()));
    for (Rank rank = 0; rank < shape.ranks(); ++rank)
        patterns.push_back(row.make(shape, rank));
    if (settings.prove) {
        tell(std::string("proving ") + row.name);
        report.faults = nbrhood::prove_allgather(patterns, shape);
        report.proved = report.faults.empty();
    }
    if (!report.faults.empty())
        return report;
    for (const std::int64_t size : each_once(settings.block_bytes)) {
        tell(std::string("modelling ") + row.name + " with blocks of " + std::to_string(size)
             + " bytes");
        add_size(nbrhood::flow_of_allgather(patterns, shape, static_cast<std::uint64_t>(size)),
                 layout, settings, size, report);
    }
    return report;
}

} // namespace

std::size_t steps_of_allgather(const AnalysisSettings &settings)
{
    return settings.algorithms.size()
           * (1 + (settings.prove ? 1 : 0) + each_once(settings.block_bytes).size());
}

ScenarioReport analyse_allgather(const Layout &layout, const AnalysisSettings &settings,
                                 const Tell &tell)
{
    ScenarioReport report;
    report.graph = "MPI_Allgather";
    report.compared_with = allgather_base;
    report.kind = nbrhood::BlockKind::one_per_rank;
    report.bytes = each_once(settings.block_bytes);
    const AllgatherShape shape(layout.machine, settings.values.get(nbrhood::kAllgatherLevels),
                               layout.cluster.ranks_per_core() > 1,
                               settings.values.get(nbrhood::kAllgatherFirstRank));
    for (const std::string &name : settings.algorithms) {
        const AllgatherAlgorithm &row = allgather_row_of(name);
        if (is_left_out(row, shape, settings))
            report.left_out.push_back(name);
        else
            report.algorithms.push_back(report_on(row, shape, layout, settings, tell));
    }
    compare(report);
    return report;
}

} // namespace nbrhood_tools::explain
