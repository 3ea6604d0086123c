// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "common/number_text.h"
#include "common/ratio_text.h"
#include "measuring/communicators.h"
#include "measuring/results_json.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools::allgather {

namespace {

std::string count_text(long long count)
{
    return count < 0 ? "-" : std::to_string(count);
}

Json count_json(long long count)
{
    return count < 0 ? Json() : Json(count);
}

Json to_json(const AlgorithmResult &result)
{
    Json json{{"algorithm", result.label},
              {"stock", is_stock(result.label)},
              {"verified", result.verified},
              {"nonlocal_messages", count_json(result.nonlocal.messages)},
              {"nonlocal_bytes", count_json(result.nonlocal.bytes)},
              {"call_seconds", result.seconds}};
    if (result.seconds.empty())
        return json;
    json["call_seconds_median"] = finite_or_null(result.call_median());
    add_speed_up(json, result.speed_up);
    return json;
}

} // namespace

Table::Table(const std::vector<std::string> &labels)
    : table_({"ranks", "nodes", "placement", "variant", "bytes", "algorithm", "messages",
              "bytes out", "us/call", "speed-up", "95% interval"},
             0, {2, 3, 5, 10})
{
    for (const std::string &label : labels)
        table_.widen(5, label);
    table_.widen(3, "nonblocking");
    table_.widen(4, "67108864");
    table_.widen(8, "1000000.0");
}

void Table::print_header(const Environment &environment) const
{
    print_environment(environment);
    table_.print_header();
    std::fflush(stdout);
}

void Table::print(const Comparison &comparison) const
{
    const Configuration &c = comparison.configuration;
    for (const AlgorithmResult &result : comparison.algorithms) {
        TextTable::Row row{std::to_string(comparison.ranks),
                           std::to_string(comparison.nodes),
                           name_of(c.placement),
                           name_of(c.variant),
                           std::to_string(c.bytes),
                           result.label,
                           count_text(result.nonlocal.messages),
                           count_text(result.nonlocal.bytes)};
        const bool is_base = result.label == "stock";
        if (result.verified)
            row.insert(row.end(), {number_text(result.call_median() * 1e6, "%.1f"),
                                   is_base ? "1" : ratio_text(result.speed_up),
                                   is_base ? "" : interval_text(result.speed_up),
                                   is_base && comparison.cut_short ? "*" : ""});
        else
            row.emplace_back("WRONG RESULT");
        table_.print_row(row);
    }
    std::fflush(stdout);
}

void print_footer(const Environment &environment, const std::vector<Comparison> &comparisons)
{
    std::printf(
        "\nmessages, bytes out: the most that any rank sends to other nodes in a call, by "
        "the algorithm's\n"
        "pattern. speed-up: stock's median time divided by the algorithm's, with a bootstrap "
        "interval over\n"
        "paired samples. stock#2 is stock measured twice: its distance from 1 is the noise.\n");
    if (std::any_of(comparisons.begin(), comparisons.end(),
                    [](const Comparison &c) { return c.cut_short; }))
        std::printf("*: the time limit (--max-seconds) cut calls or samples short.\n");
    print_caution(environment);
}

std::string json_text(const Environment &environment, const Settings &settings,
                      const std::vector<Comparison> &comparisons, bool complete)
{
    Json json{{"program", "nbrhood-allgather"},
              {"schema_version", schema_version},
              {"environment", environment_json(environment)},
              {"settings",
               {{"samples", settings.timing.samples},
                {"calls", settings.timing.calls},
                {"warmup", settings.timing.warmup},
                {"max_seconds", settings.timing.max_seconds}}},
              {"comparisons", Json::array()}};
    for (const Comparison &comparison : comparisons) {
        const Configuration &c = comparison.configuration;
        Json one{{"ranks", comparison.ranks},
                 {"nodes", comparison.nodes},
                 {"placement", name_of(c.placement)},
                 {"variant", name_of(c.variant)},
                 {"bytes", c.bytes},
                 {"calls_per_sample", comparison.calls},
                 {"cut_short", comparison.cut_short},
                 {"algorithms", Json::array()}};
        for (const AlgorithmResult &result : comparison.algorithms)
            one["algorithms"].push_back(to_json(result));
        json["comparisons"].push_back(one);
    }
    return file_text(json, complete);
}

} // namespace nbrhood_tools::allgather
