// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "json_output.h"

#include "measuring/results_json.h"

namespace nbrhood_tools::spmm {

namespace {

Json to_json(const MethodResult &result)
{
    Json json = method_json(result, "product");
    json["gathers"] = result.label != multiply_label;
    return json;
}

/// Fields that plot-bench reads have the same names as in nbrhood-bench.
Json to_json(const Comparison &comparison)
{
    const Configuration &c = comparison.configuration;
    Json json{{"matrix", comparison.matrix_file},
              {"graph_name", comparison.matrix_name + " " + describe(c.shape)},
              {"rows", comparison.rows},
              {"columns", comparison.columns},
              {"entries", comparison.entries},
              {"right", c.shape.right == Right::dense ? "dense" : "matrix"},
              {"width", c.shape.width},
              {"block_columns", c.shape.block_columns},
              {"calls_per_product", c.shape.blocks()},
              {"edges", comparison.facts.edges},
              {"mean_degree", comparison.facts.mean_degree},
              {"max_degree", comparison.facts.max_degree},
              {"isolated_ranks", comparison.facts.isolated_ranks},
              {"operation", name_of(c.operation)},
              {"variant", name_of(c.variant)},
              {"bytes_per_edge_mean", comparison.bytes_per_edge()},
              {"products_per_sample", comparison.products},
              {"cut_short", comparison.cut_short},
              {"algorithms", Json::array()}};
    for (const MethodResult &result : comparison.methods)
        json["algorithms"].push_back(to_json(result));
    return json;
}

} // namespace

std::string json_text(const Run &run, bool complete)
{
    Json json{{"program", "nbrhood-spmm"},
              {"schema_version", schema_version},
              {"environment", environment_json(run.environment)},
              {"settings",
               {{"samples", run.settings.timing.samples},
                {"products", run.settings.timing.calls},
                {"warmup", run.settings.timing.warmup},
                {"first_calls", run.settings.timing.first_calls},
                {"creations", run.settings.creations},
                {"max_seconds", run.settings.timing.max_seconds}}},
              {"comparisons", Json::array()},
              {"geometric_means", Json::array()}};
    for (const Comparison &comparison : run.comparisons)
        json["comparisons"].push_back(to_json(comparison));
    const RatioGroups groups = groups_of(run);
    for (const RatioGroup &group : groups.groups()) {
        for (const LabelledRatios &row : group.labels) {
            json["geometric_means"].push_back({{"group", group.title},
                                               {"algorithm", row.label},
                                               {"matrices", row.ratios.size()}});
            add_speed_up(json["geometric_means"].back(), geometric_mean(row.ratios));
        }
    }
    return file_text(json, complete);
}

} // namespace nbrhood_tools::spmm
