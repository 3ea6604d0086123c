// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "summary.h"

#include "measuring/results_json.h"

#include <cmath>

namespace nbrhood_tools::amg {

namespace {

Json to_json(const MethodResult &method)
{
    return {{"method", method.name},
            {"verified", method.verified},
            {"seconds", finite_or_null(method.seconds())},
            {"averages", method.averages},
            {"creation_seconds", method.creation_seconds},
            {"first_exchange_seconds", method.first_seconds},
            {"most_messages_local", method.most.local},
            {"most_messages_nonlocal", method.most.nonlocal},
            {"most_bytes_nonlocal", method.most.nonlocal_bytes}};
}

Json to_json(const LevelResult &level, int ranks)
{
    Json json{{"rows", level.rows},
              {"nonzeros", level.nonzeros},
              {"active_ranks", ranks - level.facts.isolated_ranks},
              {"edges", level.facts.edges},
              {"mean_degree", level.facts.mean_degree},
              {"max_degree", level.facts.max_degree},
              {"mean_entries", level.facts.mean_entries},
              {"max_entries", level.facts.max_entries},
              {"calls", level.calls},
              {"cut_short", level.cut_short},
              {"methods", Json::array()}};
    for (const MethodResult &method : level.methods)
        json["methods"].push_back(to_json(method));
    return json;
}

/// null if it is not known.
Json crossover(double exchanges)
{
    return std::isinf(exchanges) ? Json("never") : finite_or_null(exchanges);
}

Json to_json(const Total &total, double base_seconds)
{
    return {
        {"method", total.name},
        {"seconds", finite_or_null(total.seconds)},
        {"speed_up", finite_or_null(base_seconds / total.seconds)},
        {"best_of_both_speed_up", finite_or_null(base_seconds / total.best_seconds)},
        {"creation_seconds", finite_or_null(total.creation)},
        {"first_exchange_seconds", finite_or_null(total.first)},
        {"break_even", crossover(total.crossover)},
        {"break_even_with_creation", crossover(total.crossover_with_creation)},
        {"best_of_both_break_even", crossover(total.best_crossover)},
        {"best_of_both_break_even_with_creation", crossover(total.best_crossover_with_creation)}};
}

} // namespace

std::string json_text(const Run &run, bool complete)
{
    const Problem &problem = run.problem;
    Json json{{"program", "nbrhood-amg"},
              {"schema_version", schema_version},
              {"environment", environment_json(run.environment)},
              {"problem",
               {{"hypre_version", hypre_version()},
                {"angle", Problem::angle},
                {"anisotropy", Problem::anisotropy},
                {"grid", {problem.columns, problem.lines}},
                {"ranks", {problem.ranks_across, problem.ranks_down}},
                {"setup_seconds", run.setup_seconds}}},
              {"settings",
               {{"calls", run.settings.calls},
                {"creations", run.settings.creations},
                {"max_seconds", run.settings.max_seconds}}},
              {"levels", Json::array()},
              {"totals", Json::array()}};
    for (const LevelResult &level : run.levels)
        json["levels"].push_back(to_json(level, run.environment.ranks));
    const std::vector<Total> totals = sum_up(run.levels);
    for (const Total &total : totals)
        json["totals"].push_back(to_json(total, totals.front().seconds));
    return file_text(json, complete);
}

} // namespace nbrhood_tools::amg
