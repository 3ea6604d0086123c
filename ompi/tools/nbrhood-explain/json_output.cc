// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "json_output.h"

#include "answer.h"

#include "common/json.h"
#include "common/number_text.h"
#include "common/output_file.h"

#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace nbrhood_tools::explain {

namespace {

constexpr const char *distance_names[distances] = {"in_socket", "in_node", "between_nodes"};

Json to_json(const Amount &amount)
{
    return {{"mean", amount.mean}, {"max", amount.most}};
}

/// A row is one string, because file_text() writes each number of an array on a line of its own.
Json to_json(const TrafficMatrix &matrix)
{
    Json rows = Json::array();
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        std::string text;
        for (std::size_t column = 0; column < matrix.rows(); ++column)
            text += number_text(matrix.at(row, column), "%.0f ");
        rows.push_back(std::move(text));
    }
    return {{"items_of_row", matrix.items_of_row()}, {"rows", rows}};
}

/// The beginnings and ends of each rank's activities in turn, as one string. Intervals of an
/// activity that follow each other without a gap become one.
Json to_json(const std::vector<nbrhood::Interval> &timeline)
{
    constexpr const char *names[] = {"send", "receive", "copy", "context switch"};
    using Span = std::pair<long long, long long>; // nanoseconds
    std::map<std::pair<nbrhood::Rank, nbrhood::Activity>, std::vector<Span>> spans;
    for (const nbrhood::Interval &interval : timeline) {
        std::vector<Span> &own = spans[{interval.rank, interval.activity}];
        const Span span{std::llround(interval.begin * 1e9), std::llround(interval.end * 1e9)};
        if (!own.empty() && own.back().second == span.first)
            own.back().second = span.second;
        else
            own.push_back(span);
    }
    Json json = Json::array();
    for (const auto &[key, own] : spans) {
        std::string text;
        for (const auto &[begin, end] : own)
            text += std::to_string(begin) + " " + std::to_string(end) + " ";
        json.push_back({{"rank", key.first},
                        {"activity", names[static_cast<int>(key.second)]},
                        {"nanoseconds", std::move(text)}});
    }
    return json;
}

Json to_json(const PhaseSpan &span)
{
    constexpr const char *names[] = {"direct", "gather", "between regions", "redistribute",
                                     "large blocks"};
    const std::string name =
        span.phase < std::size(names) ? names[span.phase] : "phase " + std::to_string(span.phase);
    return {{"phase", name}, {"begin", span.begin}, {"end", span.end}};
}

void add_pictures(Json &json, const AlgorithmReport &algorithm)
{
    json["traffic"] = {{"messages_by_rank", to_json(algorithm.messages_by_rank)},
                       {"messages_by_node", to_json(algorithm.messages_by_node)},
                       {"bytes_by_rank", to_json(algorithm.bytes_by_rank)},
                       {"bytes_by_node", to_json(algorithm.bytes_by_node)}};
    json["timeline"] = to_json(algorithm.timeline);
    json["phases"] = Json::array();
    for (const PhaseSpan &span : algorithm.phases)
        json["phases"].push_back(to_json(span));
}

Json to_json(const SizeReport &size)
{
    Json json{{"bytes", size.bytes},
              {"messages", size.messages},
              {"chain", size.depth},
              {"staging_bytes_per_rank", to_json(size.staging_bytes)},
              {"seconds",
               {{"hockney", size.seconds.hockney},
                {"postal", size.seconds.postal},
                {"max_rate", size.seconds.max_rate},
                {"auto", size.seconds.automatic > 0 ? Json(size.seconds.automatic) : Json(nullptr)},
                {"events", size.seconds.events}}},
              {"speed_up", size.speed_up > 0 ? Json(size.speed_up) : Json(nullptr)}};
    for (int far = 0; far < distances; ++far) {
        json["messages_per_rank"][distance_names[far]] = to_json(size.counts.messages[far]);
        json["bytes_per_rank"][distance_names[far]] = to_json(size.counts.bytes[far]);
        if (size.counts.distinct_entries)
            json["distinct_entries_per_rank"][distance_names[far]] =
                to_json((*size.counts.distinct_entries)[static_cast<std::size_t>(far)]);
    }
    if (size.dies)
        json["dies"] = to_json(*size.dies);
    return json;
}

Json to_json(const AlgorithmReport &algorithm)
{
    Json json{{"algorithm", algorithm.name},
              {"source", algorithm.source},
              {"shares_cores", algorithm.shares_cores},
              {"creation",
               {{"messages", algorithm.creation.messages.size()},
                {"bytes", algorithm.creation.bytes()},
                {"rounds", algorithm.creation.rounds},
                {"messages_per_rank", to_json(algorithm.creation_messages)},
                {"bytes_per_rank", to_json(algorithm.creation_bytes)},
                {"seconds", algorithm.creation_seconds}}},
              {"combining_threshold", algorithm.combining_threshold},
              {"packing_threshold", algorithm.packing_threshold},
              {"proved", algorithm.proved},
              {"faults", algorithm.faults},
              {"sizes", Json::array()}};
    for (const SizeReport &size : algorithm.sizes)
        json["sizes"].push_back(to_json(size));
    for (const nbrhood::HalvingStep &step : algorithm.halving)
        json["halving"].push_back({{"ranks", step.ranks},
                                   {"share_a_destination", step.may},
                                   {"found_an_agent", step.found},
                                   {"as_second_origin", step.second}});
    if (algorithm.friends) {
        const nbrhood::FriendReport &friends = *algorithm.friends;
        json["friends"] = {
            {"searches", friends.searches},
            {"search_seconds", friends.seconds},
            {"bounded", friends.bounded},
            {"candidates", friends.candidates},
            {"build_steps", friends.steps},
            {"least_k", friends.least_k},
            {"most_k", friends.most_k},
            {"groups", friends.groups},
            {"messages", friends.messages},
            {"exact_messages", friends.exact_messages ? Json(*friends.exact_messages) : Json()}};
    }
    if (algorithm.messages_by_rank.rows() > 0)
        add_pictures(json, algorithm);
    return json;
}

Json to_json(const SizeAnswer &answer)
{
    const auto known = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    return {{"bytes", answer.bytes},
            {"speed_up", known(answer.speed_up)},
            {"break_even_calls", known(answer.break_even_calls)},
            {"fastest", answer.fastest},
            {"fastest_speed_up", answer.fastest_speed_up},
            {"events_prefer_fastest", prefers_another(answer)}};
}

/// What only graphs have.
void add_facts(Json &json, const ScenarioReport &report)
{
    json["density"] = report.density;
    json["edges"] = report.facts.edges;
    json["edges_between_regions"] = report.facts.edges_nonlocal;
    json["max_degree"] = report.facts.busiest_edges;
    json["auto"] = report.automatic.text();
    json["answer"] = {
        {"auto", report.automatic.choice.empty() ? Json(nullptr) : Json(report.automatic.choice)},
        {"reason", report.automatic.reason},
        {"statements", answer_statements(report)},
        {"sizes", Json::array()}};
    json["answer"]["auto_by_size"] = Json::array();
    for (const nbrhood::SizeChoice &interval : report.automatic.by_size)
        json["answer"]["auto_by_size"].push_back(
            {{"most_bytes",
              interval.most == nbrhood::kAnySize ? Json(nullptr) : Json(interval.most)},
             {"algorithm", nbrhood::choice_name(interval.choice)}});
    for (const SizeAnswer &answer : report.answers)
        json["answer"]["sizes"].push_back(to_json(answer));
    for (const nbrhood::LowerBound &bound : report.bounds)
        json["lower_bounds"].push_back({{"messages", bound.messages},
                                        {"bytes", bound.bytes},
                                        {"seconds", bound.seconds},
                                        {"seconds_of_any_pattern", bound.seconds_of_any}});
}

Json to_json(const ScenarioReport &report)
{
    Json json{{"graph", report.graph},
              {"blocks",
               report.kind == nbrhood::BlockKind::one_per_rank ? "one_per_rank" : "one_per_edge"},
              {"bytes_are_of", report.has_counts ? "entries" : "blocks"},
              {"mean_entries", report.mean_entries},
              {"compared_with", report.compared_with},
              {"left_out", report.left_out}};
    if (report.has_graph())
        add_facts(json, report);
    for (const AlgorithmReport &algorithm : report.algorithms)
        json["algorithms"].push_back(to_json(algorithm));
    return json;
}

/// Matrices by die.
Json to_json(const nbrhood::DieTable &table)
{
    const nbrhood::DieLinks &dies = table.links;
    Json json{{"dies", dies.dies()},   {"packages", Json::array()}, {"links", Json::array()},
              {"hops", Json::array()}, {"pci", Json::array()},      {"numa", table.numa}};
    for (int die = 0; die < dies.dies(); ++die) {
        Json links = Json::array();
        Json hops = Json::array();
        for (int other = 0; other < dies.dies(); ++other) {
            links.push_back(dies.links(die, other));
            hops.push_back(dies.hops(die, other));
        }
        json["packages"].push_back(dies.package_of(die));
        json["links"].push_back(std::move(links));
        json["hops"].push_back(std::move(hops));
    }
    for (const nbrhood::PciAddress &address : table.pci)
        json["pci"].push_back(address.text());
    return json;
}

} // namespace

std::string write_gpus(const Options &options, const nbrhood::DieTable &dies)
{
    const Json json{{"program", "nbrhood-explain"},
                    {"schema_version", schema_version},
                    {"command", options.command},
                    {"gpus", to_json(dies)}};
    return replace_file(options.json_file, file_text(json));
}

std::string write_json(const Options &options, const Layout &layout,
                       const std::vector<ScenarioReport> &reports)
{
    Json json{{"program", "nbrhood-explain"},
              {"schema_version", schema_version},
              {"command", options.command},
              {"machine",
               {{"description", layout.description},
                {"ranks", layout.cluster.node_of.size()},
                {"nodes", layout.cluster.cores.size()},
                {"regions", layout.machine.regions()},
                {"ranks_per_core", layout.cluster.ranks_per_core()}}},
              {"costs", options.analysis.costs.name},
              {"graphs", Json::array()}};
    if (options.analysis.pictures)
        json["machine"]["node_of_rank"] = layout.cluster.node_of;
    if (layout.dies.links.dies() > 0)
        json["machine"]["gpus"] = to_json(layout.dies);
    for (const ScenarioReport &report : reports)
        json["graphs"].push_back(to_json(report));
    return replace_file(options.json_file, file_text(json));
}

} // namespace nbrhood_tools::explain
