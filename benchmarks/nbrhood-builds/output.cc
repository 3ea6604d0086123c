// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "output.h"

#include "common/json.h"
#include "common/number_text.h"
#include "common/output_file.h"
#include "common/text_table.h"

#include <cstdio>

namespace nbrhood_tools::builds {

namespace {

std::string bytes(std::int64_t number)
{
    return bytes_text(static_cast<double>(number));
}

/// For a build that was stopped only the waves are known.
TextTable::Row cells_of(const Row &row)
{
    TextTable::Row cells{row.graph, name_of(row.placement), std::to_string(row.ranks)};
    if (!row.refused.empty())
        return cells;
    const SimulationReport &report = row.report;
    const bool whole = report.stopped.empty();
    const auto cell = [&](const std::string &text) { cells.push_back(whole ? text : "-"); };
    cell(report.found);
    cells.push_back(std::to_string(row.distance));
    cells.push_back(std::to_string(report.waves.rounds));
    cell(std::to_string(report.all.rounds));
    cells.push_back(std::to_string(report.waves.messages_of_busiest));
    cell(std::to_string(report.all.messages_of_busiest));
    cell(bytes(report.all.bytes_sent_by_busiest));
    cell(bytes(report.all.bytes_received_by_busiest));
    cells.push_back(std::to_string(report.waves.messages));
    cell(std::to_string(report.all.messages));
    cell(bytes(report.bytes_held));
    cells.push_back(number_text(report.seconds, "%.1f"));
    return cells;
}

Json to_json(const Amounts &amounts)
{
    return {{"messages", amounts.messages},
            {"messages_of_busiest", amounts.messages_of_busiest},
            {"bytes", amounts.bytes},
            {"bytes_sent_by_busiest", amounts.bytes_sent_by_busiest},
            {"bytes_received_by_busiest", amounts.bytes_received_by_busiest},
            {"rounds", amounts.rounds}};
}

Json to_json(const Row &row)
{
    Json json{{"graph", row.graph}, {"placement", name_of(row.placement)}, {"ranks", row.ranks}};
    if (!row.refused.empty()) {
        json["refused"] = row.refused;
        return json;
    }
    const bool whole = row.report.stopped.empty();
    json["stopped"] = whole ? Json(nullptr) : Json(row.report.stopped);
    json["distance"] = row.distance;
    json["waves"] = to_json(row.report.waves);
    if (whole) {
        json["all"] = to_json(row.report.all);
        json["found"] = row.report.found;
        json["bytes_held"] = row.report.bytes_held;
    }
    json["seconds"] = row.report.seconds;
    return json;
}

} // namespace

void print_table(const std::vector<Row> &rows)
{
    TextTable table({"graph", "nodes", "ranks", "found", "distance", "rounds: waves", "all",
                     "busiest: waves", "all", "bytes sent", "received", "messages: waves", "all",
                     "memory", "seconds"},
                    2);
    for (const Row &row : rows) {
        TextTable::Row cells = cells_of(row);
        cells.resize(15, "-");
        table.add(std::move(cells));
    }
    table.print();
    for (const Row &row : rows) {
        const std::string place = row.graph + ", nodes " + name_of(row.placement) + ", "
                                  + std::to_string(row.ranks) + " ranks";
        if (!row.refused.empty())
            std::printf("- %s: not run: %s\n", place.c_str(), row.refused.c_str());
        else if (!row.report.stopped.empty())
            std::printf("- %s: only the waves, because %s\n", place.c_str(),
                        row.report.stopped.c_str());
    }
}

std::string write_json(const Options &options, const std::vector<Row> &rows, bool complete)
{
    Json json{{"program", "nbrhood-builds"},
              {"schema_version", schema_version},
              {"command", options.command},
              {"node", options.node},
              {"rows", Json::array()}};
    for (const Row &row : rows)
        json["rows"].push_back(to_json(row));
    return replace_file(options.json_file, file_text(json, complete));
}

} // namespace nbrhood_tools::builds
