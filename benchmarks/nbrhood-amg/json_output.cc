#include "json_output.h"

#include "environment_json.h"
#include "summary.h"

#include <cmath>

namespace nbrhood_amg {

namespace {

using nbrhood_bench::finite_or_null;
using nbrhood_bench::Json;

Json to_json(const WayResult &way)
{
    return {{"way", way.name},
            {"verified", way.verified},
            {"seconds", finite_or_null(way.seconds())},
            {"averages", way.averages},
            {"creation_seconds", way.creation_seconds},
            {"first_exchange_seconds", way.first_seconds},
            {"most_messages_local", way.most.local},
            {"most_messages_nonlocal", way.most.nonlocal},
            {"most_bytes_nonlocal", way.most.nonlocal_bytes}};
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
              {"ways", Json::array()}};
    for (const WayResult &way : level.ways)
        json["ways"].push_back(to_json(way));
    return json;
}

/// null where it is not known.
Json crossover(double exchanges)
{
    return std::isinf(exchanges) ? Json("never") : finite_or_null(exchanges);
}

Json to_json(const Total &total, double base_seconds)
{
    return {{"way", total.name},
            {"seconds", finite_or_null(total.seconds)},
            {"speed_up", finite_or_null(base_seconds / total.seconds)},
            {"best_of_both_speed_up", finite_or_null(base_seconds / total.best_seconds)},
            {"creation_seconds", finite_or_null(total.creation)},
            {"first_exchange_seconds", finite_or_null(total.first)},
            {"pays_at", crossover(total.crossover)},
            {"pays_at_with_creation", crossover(total.crossover_with_creation)},
            {"best_of_both_pays_at", crossover(total.best_crossover)},
            {"best_of_both_pays_at_with_creation", crossover(total.best_crossover_with_creation)}};
}

} // namespace

std::string json_text(const Run &run)
{
    const Problem &problem = run.problem;
    Json json{{"program", "nbrhood-amg"},
              {"format", 1},
              {"environment", nbrhood_bench::environment_json(run.environment)},
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
    return nbrhood_bench::file_text(json);
}

} // namespace nbrhood_amg
