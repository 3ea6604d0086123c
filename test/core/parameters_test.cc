// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The tables of parameters, and the documentation that describes them.
#include <gtest/gtest.h>

#include <climits>
#include <fstream>
#include <map>
#include <set>

#include "capi/nbrhood_parameters.h"
#include "extra_row.h"
#include "select/parameters.h"
#include "select/selection.h"

namespace nbrhood::test {
namespace {

TEST(Parameters, EachIsThereOnceAndDeclaredInFull)
{
    std::set<std::string> names;
    for (const Parameter *parameter : parameters()) {
        SCOPED_TRACE(parameter->name);
        EXPECT_TRUE(names.insert(parameter->name).second);
        EXPECT_NE(std::string(parameter->help), "");
        EXPECT_NE(parameter->help[std::string(parameter->help).size() - 1], '.');
        EXPECT_LT(full_help(*parameter).size(), sizeof(nbrhood_parameter{}.help));
        EXPECT_LT(range_text(*parameter).size(), sizeof(nbrhood_parameter{}.range));
        EXPECT_GE(parameter->level, 1);
        EXPECT_LE(parameter->level, 9);
        EXPECT_LE(parameter->range.least, parameter->usual);
        EXPECT_GE(parameter->range.most, parameter->usual);
        EXPECT_GE(parameter->range.least, parameter->type == ValueType::bytes ? 0 : INT_MIN);
        EXPECT_LE(parameter->range.most, INT_MAX) << "as Open MPI's variables hold it";
    }
    EXPECT_LE(names.size(), std::size_t{NBRHOOD_MOST_PARAMETERS});
    for (const char *of_rows : {"relays_per_region", "combine_local"}) {
        EXPECT_EQ(names.count(of_rows), 1U);
    }
}

TEST(Parameters, ValuesAreTypedAndHaveDefaults)
{
    ParameterValues values;
    EXPECT_EQ(values.get(kPackingThreshold), 8192U);
    EXPECT_TRUE(values.get(kRemoveDuplicates));
    EXPECT_EQ(values.get(kRegion), Level::node);
    EXPECT_EQ(values.get(kMachine), "");
    values.set(kPackingThreshold, 1);
    values.set(kRemoveDuplicates, false);
    values.set(kRegion, Level::numa);
    values.set(kMachine, "node:2");
    EXPECT_EQ(values.get(kPackingThreshold), 1U);
    EXPECT_FALSE(values.get(kRemoveDuplicates));
    EXPECT_EQ(values.get(kRegion), Level::numa);
    EXPECT_EQ(values.get(kMachine), "node:2");
    EXPECT_EQ(values.get(kPrepostedSize), 65536U) << "the others keep theirs";
}

TEST(Parameters, HelpNamesTheRangeAndWhetherRanksMustAgree)
{
    EXPECT_NE(
        full_help(kPackingThreshold).find(". Range: 1 to 16777216. Must be equal on all ranks"),
        std::string::npos);
    EXPECT_EQ(full_help(kVerbose), kVerbose.help);
    EXPECT_EQ(range_text(kRegion), "node, socket, numa, l3, gpu, die");
    EXPECT_EQ(range_text(kReport), "false, true, totals");
}

// What is compared by value: ranks that differ in nothing else have the same number.
TEST(Parameters, TheHashIsOfWhatMustBeEqual)
{
    const ParameterValues usual;
    ParameterValues same;
    same.set(kPackingThreshold, usual.get(kPackingThreshold));
    const auto hash = [](const ParameterValues &values) {
        return hash_values(values, Compared::all);
    };
    const auto hash_of_calls = [](const ParameterValues &values) {
        return hash_values(values, Compared::calls);
    };
    EXPECT_EQ(hash(same), hash(usual)) << "however a value came about";
    for (const Parameter *parameter : parameters()) {
        ParameterValues values;
        if (parameter->type == ValueType::text) {
            values.set_text(*parameter, "x");
        } else {
            values.set_number(*parameter, parameter->usual + 1);
        }
        EXPECT_EQ(hash(values) != hash(usual),
                  parameter->equal == Equal::builds || parameter->equal == Equal::calls)
            << parameter->name;
        EXPECT_EQ(hash_of_calls(values) != hash_of_calls(usual), parameter->equal == Equal::calls)
            << parameter->name;
    }
}

// Components of one version that number rows or parameters in another way.
TEST(Parameters, TheHashOfNamesTellsTablesApart)
{
    const std::uint32_t none = hash_names();
    std::set<std::uint32_t> hashes{none};
    const auto add = [&](const char *name, std::vector<const Parameter *> parameters) {
        Algorithm row = echo_row();
        row.name = name;
        row.parameters = std::move(parameters);
        const ExtraRow extra(row);
        hashes.insert(hash_names());
    };
    add("echo", {&kEchoTimes});
    add("echo", {});
    add("ohce", {&kEchoTimes});
    {
        const ExtraRow first(extra_row(0, nullptr));
        const ExtraRow second(extra_row(1, nullptr));
        hashes.insert(hash_names());
    }
    {
        const ExtraRow first(extra_row(1, nullptr));
        const ExtraRow second(extra_row(0, nullptr));
        hashes.insert(hash_names());
    }
    EXPECT_EQ(hashes.size(), 6U);
    EXPECT_EQ(hash_names(), none);
}

using Cells = std::map<std::string, std::string>; // by the heads of the columns

// The cells of a line of a table, without the signs for code.
std::vector<std::string> split(const std::string &line)
{
    std::vector<std::string> cells;
    std::string cell;
    for (std::size_t i = line.find('|') + 1; i < line.size(); ++i) {
        if (line[i] == '|') {
            const std::size_t from = cell.find_first_not_of(' ');
            cells.push_back(from == std::string::npos
                                ? ""
                                : cell.substr(from, cell.find_last_not_of(' ') + 1 - from));
            cell.clear();
        } else if (line[i] != '`') {
            cell += line[i];
        }
    }
    return cells;
}

// The rows of all tables of docs/parameters.md whose first column is `parameter`.
std::map<std::string, Cells> documented()
{
    std::map<std::string, Cells> rows;
    std::vector<std::string> heads;
    std::ifstream in(NBRHOOD_DOCS_DIR "/parameters.md");
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] != '|') {
            heads.clear();
            continue;
        }
        const std::vector<std::string> cells = split(line);
        if (heads.empty()) {
            heads = cells;
        } else if (heads[0] == "parameter" && cells[0].rfind("coll_nbrhood_", 0) == 0) {
            Cells &row = rows[cells[0]];
            for (std::size_t i = 0; i < cells.size() && i < heads.size(); ++i) {
                row[heads[i] == "values" ? "range" : heads[i]] = cells[i];
            }
        }
    }
    return rows;
}

TEST(Parameters, TheDocumentationDescribesAllOfThemAndNoOthers)
{
    const std::map<std::string, Cells> rows = documented();
    std::set<std::string> known;
    const auto expect = [&](const std::string &name, const std::string &usual,
                            const std::string &range, Equal equal) {
        SCOPED_TRACE(name + " in docs/parameters.md");
        known.insert(name);
        const auto row = rows.find(name);
        ASSERT_NE(row, rows.end()) << "no row of a table";
        EXPECT_EQ(row->second.at("default"), usual);
        if (!range.empty()) {
            EXPECT_EQ(row->second.at("range"), range);
        }
        const std::string told = row->second.at("equal");
        EXPECT_EQ(told.substr(0, told.find_first_of(",:;")), equal == Equal::no ? "no" : "yes");
    };
    for (const Parameter *parameter : parameters()) {
        expect(std::string("coll_nbrhood_") + parameter->name,
               parameter->type == ValueType::text ? "none"
                                                  : value_text(*parameter, parameter->usual),
               range_text(*parameter), parameter->equal);
    }
    std::string all;
    for (int choice = 0; choice < choices(); ++choice) {
        all += (all.empty() ? "" : ", ") + std::string(choice_name(choice));
    }
    expect("coll_nbrhood_algorithm", "auto", all, Equal::builds);
    for (int c = 0; c < kCollectives; ++c) {
        std::string names;
        for (int choice = 0; choice < choices(); ++choice) {
            if (serves(choice, static_cast<Collective>(c))) {
                names += (names.empty() ? "" : ", ") + std::string(choice_name(choice));
            }
        }
        expect(std::string("coll_nbrhood_") + name_of(static_cast<Collective>(c)) + "_algorithm",
               "auto", names, Equal::builds);
    }
    for (const auto &row : rows) {
        EXPECT_EQ(known.count(row.first), 1U) << row.first << " does not exist";
    }
}

} // namespace
} // namespace nbrhood::test
