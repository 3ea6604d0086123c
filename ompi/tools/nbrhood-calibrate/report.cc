// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "report.h"

#include "common/json.h"
#include "common/number_text.h"
#include "common/statistics.h"
#include "common/text_table.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace nbrhood_tools::calibrate {

namespace {

const char *name_of(Kind kind)
{
    switch (kind) {
    case Kind::socket:
        return "socket";
    case Kind::node:
        return "node";
    case Kind::network:
        return "network";
    case Kind::alone:
        return "alone";
    case Kind::copy:
        break;
    }
    return "copy";
}

/// "4", or "1 to 7" if they differ.
std::string range_text(const std::vector<int> &numbers)
{
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    return *least == *most ? std::to_string(*least)
                           : std::to_string(*least) + " to " + std::to_string(*most);
}

/// Text of several lines as one.
std::string one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

std::string machine_text(const Result &result)
{
    const Environment &e = result.environment;
    return std::to_string(e.ranks) + " ranks on " + std::to_string(e.nodes) + " nodes ("
           + range_text(result.ranks_of_nodes) + " ranks and " + range_text(result.cores)
           + " cores on each)";
}

TextTable::Row link_row(const char *title, const nbrhood::LinkCosts &costs, const FitError &error)
{
    return {title,
            number_text(costs.message * 1e6, "%.3f"),
            number_text(costs.byte * 1e9, "%.4f"),
            number_text(costs.long_message * 1e6, "%.3f"),
            number_text(costs.long_byte * 1e9, "%.4f"),
            number_text(error.median * 100, "%.0f %%"),
            number_text(error.largest * 100, "%.0f %%")};
}

/// Whether messages inside sockets were measured.
bool has_sockets(const Result &result)
{
    return std::any_of(result.series.begin(), result.series.end(),
                       [](const Series &series) { return series.shape.kind == Kind::socket; });
}

Json to_json(const nbrhood::LinkCosts &costs)
{
    return {{"message", costs.message},
            {"byte", costs.byte},
            {"long_message", costs.long_message},
            {"long_byte", costs.long_byte}};
}

Json to_json(const FitError &error)
{
    return {{"median", error.median}, {"largest", error.largest}};
}

Json to_json(const Result &result, const Series &series)
{
    return {{"kind", name_of(series.shape.kind)},
            {"rounds", series.shape.rounds},
            {"messages", series.shape.messages},
            {"bytes", series.shape.bytes},
            {"calls_per_sample", series.calls},
            {"seconds_median", median(series.samples)},
            {"seconds_predicted", predict(result.fit, result.sharing, series.shape)},
            {"seconds", series.samples}};
}

} // namespace

void print_table(const Result &result)
{
    const nbrhood::Costs &costs = result.fit.costs;
    std::printf("# %s\n# %s, %s\n", one_line(result.environment.mpi_version).c_str(),
                result.environment.date.c_str(), machine_text(result).c_str());
    TextTable table(
        {"", "us/message", "ns/byte", "us/long msg", "ns/long byte", "fit error", "largest"}, 1);
    if (has_sockets(result))
        table.add(link_row("socket", costs[nbrhood::Link::socket], result.fit.socket_error));
    table.add(link_row("node", costs[nbrhood::Link::node], result.fit.node_error));
    table.add(link_row("network", costs[nbrhood::Link::network], result.fit.network_error));
    table.print();
    std::printf("long: above %.0f bytes; injection %.4f ns/byte of a node; copy %.4f ns/byte; "
                "phase latency %.3f us\n",
                costs.protocol_switch, costs.injection_byte * 1e9, costs.copy_byte * 1e9,
                costs.phase_latency * 1e6);
    if (result.sharing.local > 1)
        std::printf("Ranks outnumber cores: all but the injection is divided by the ranks per core "
                    "(%.3g inside nodes,\n%.3g between nodes).\n",
                    result.sharing.local, result.sharing.nonlocal);
    std::printf("fit error: median and largest relative error over %zu exchanges.\n",
                result.series.size());
    for (const std::string &note : result.fit.notes)
        std::printf("note: %s\n", note.c_str());
    std::fflush(stdout);
}

std::string costs_file(const Result &result)
{
    char errors[160];
    std::snprintf(errors, sizeof errors,
                  "median %.0f %%, largest %.0f %% inside nodes; median %.0f %%, largest %.0f %% "
                  "between nodes",
                  result.fit.node_error.median * 100, result.fit.node_error.largest * 100,
                  result.fit.network_error.median * 100, result.fit.network_error.largest * 100);
    std::ostringstream out;
    out << "# Costs for coll/nbrhood, measured by nbrhood-calibrate.\n"
        << "# machine: " << one_line(result.environment.host) << ", " << machine_text(result)
        << "\n"
        << "# date: " << result.environment.date << "\n"
        << "# MPI: " << one_line(result.environment.mpi_version) << "\n"
        << "# command: " << one_line(result.command) << "\n"
        << "# errors of the fit: " << errors << "\n";
    for (const std::string &note : result.fit.notes)
        out << "# note: " << note << "\n";
    nbrhood::write_costs(out, result.fit.costs);
    return out.str();
}

std::string json_text(const Result &result)
{
    const Environment &e = result.environment;
    const nbrhood::Costs &costs = result.fit.costs;
    Json json{{"program", "nbrhood-calibrate"},
              {"schema_version", schema_version},
              {"environment",
               {{"mpi_version", e.mpi_version},
                {"date", e.date},
                {"host", e.host},
                {"ranks", e.ranks},
                {"nodes", e.nodes},
                {"ranks_of_nodes", result.ranks_of_nodes},
                {"cores_of_nodes", result.cores},
                {"component_loaded", e.component_loaded},
                {"mca_parameters", e.mca_parameters},
                {"command", result.command}}},
              {"sharing",
               {{"ranks_per_core_local", result.sharing.local},
                {"ranks_per_core_nonlocal", result.sharing.nonlocal},
                {"ranks_per_core_copy", result.sharing.copy},
                {"ranks_crossing_per_node", result.sharing.crossing}}},
              {"costs",
               {{"name", costs.name},
                {"socket", to_json(costs[nbrhood::Link::socket])},
                {"node", to_json(costs[nbrhood::Link::node])},
                {"network", to_json(costs[nbrhood::Link::network])},
                {"protocol_switch", costs.protocol_switch},
                {"injection_byte", costs.injection_byte},
                {"copy_byte", costs.copy_byte},
                {"phase_latency", costs.phase_latency}}},
              {"fit",
               {{"socket_error", to_json(result.fit.socket_error)},
                {"node_error", to_json(result.fit.node_error)},
                {"network_error", to_json(result.fit.network_error)},
                {"alone_error", to_json(result.fit.alone_error)},
                {"network_phase", result.fit.network_phase},
                {"alone_phase_latency", result.fit.alone_phase_latency},
                {"alone", to_json(result.fit.alone)},
                {"notes", result.fit.notes}}},
              {"exchanges", Json::array()}};
    for (const Series &series : result.series)
        json["exchanges"].push_back(to_json(result, series));
    return file_text(json);
}

} // namespace nbrhood_tools::calibrate
