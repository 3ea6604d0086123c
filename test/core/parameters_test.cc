// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The tables of parameters.
#include <gtest/gtest.h>

#include <climits>
#include <set>

#include "capi/nbrhood_parameters.h"
#include "extra_row.h"
#include "select/parameters.h"

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

// The hash covers the values that must be equal: ranks that differ in none of these have the same
// hash.
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

// Components of one version that number rows or parameters differently.
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

} // namespace
} // namespace nbrhood::test
