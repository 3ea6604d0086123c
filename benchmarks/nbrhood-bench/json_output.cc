// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "measuring/results_json.h"

namespace nbrhood_tools::bench {

namespace {

Json to_json(const AlgorithmResult &result)
{
    const auto median_or_null = [](const std::vector<double> &seconds) {
        return finite_or_null(median(seconds));
    };
    Json json = method_json(result);
    json["values"] = name_of(result.values);
    json["exchanges"] = result.exchanges;
    json["with_computation"] = result.with_computation;
    json["creation_seconds_median"] = median_or_null(result.creation_seconds);
    json["init_seconds_median"] = median_or_null(result.init_seconds);
    json["first_calls_seconds"] = result.first_calls_seconds;
    return json;
}

Json to_json(const Comparison &comparison)
{
    const Configuration &c = comparison.configuration;
    const EdgeBytes bytes = edge_bytes(c.facts, c.operation, c.entry_bytes);
    Json json{{"graph", c.graph_text},
              {"graph_name", c.graph_name},
              {"edges", c.facts.edges},
              {"mean_degree", c.facts.mean_degree},
              {"max_degree", c.facts.max_degree},
              {"isolated_ranks", c.facts.isolated_ranks},
              {"entries_between_nodes", c.duplicates.between_nodes},
              {"duplicate_entries_between_nodes", c.duplicates.duplicates},
              {"duplicate_share", c.duplicates.share()},
              {"operation", name_of(c.operation)},
              {"variant", name_of(c.variant)},
              {"counts_from_file", c.counts_from_file},
              {"entry_bytes", c.entry_bytes},
              {"bytes_per_edge_mean", bytes.mean},
              {"bytes_per_edge_max", bytes.max},
              {"calls_per_sample", comparison.calls},
              {"cut_short", comparison.cut_short}};
    for (const AlgorithmResult &result : comparison.algorithms)
        json["algorithms"].push_back(to_json(result));
    return json;
}

} // namespace

std::string json_text(const Environment &environment, const ComparisonSettings &settings,
                      const std::vector<Comparison> &comparisons, bool complete)
{
    Json json{{"program", "nbrhood-bench"},
              {"schema_version", schema_version},
              {"environment", environment_json(environment)},
              {"settings",
               {{"samples", settings.timing.samples},
                {"calls", settings.timing.calls},
                {"warmup", settings.timing.warmup},
                {"first_calls", settings.timing.first_calls},
                {"first_rounds", settings.timing.first_rounds},
                {"creations", settings.creations},
                {"max_seconds", settings.timing.max_seconds},
                {"order", settings.timing.order == Order::random ? "random" : "palindrome"},
                {"seed", settings.timing.seed},
                {"values_in_vector", settings.calls.use_vector()},
                {"packing_included", settings.calls.pack},
                {"compute_seconds", settings.calls.compute_seconds},
                {"compute_tests", settings.calls.tests},
                {"change_every", settings.calls.change_every},
                {"memory", settings.calls.hip != nullptr ? "hip" : "host"},
                {"skip_isolated", settings.skip_isolated}}},
              {"comparisons", Json::array()}};
    for (const Comparison &comparison : comparisons)
        json["comparisons"].push_back(to_json(comparison));
    return file_text(json, complete);
}

} // namespace nbrhood_tools::bench
