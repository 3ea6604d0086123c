// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A row that is added to the registry, in nbrhood-explain: its tables, and an option for its
// parameter.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "extra_row.h"
#include "nbrhood-explain/analysis.h"
#include "nbrhood-explain/parameter_options.h"
#include "nbrhood-explain/tables.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using namespace nbrhood_tools::explain;

std::string tables_of(BlockKind kind)
{
    MachineOptions machine;
    machine.machine = "node:2 core:4";
    const Layout layout = make_layout(describe_machine(machine), machine);
    Random random(1);
    Scenario scenario;
    scenario.kind = kind;
    scenario.graph = match(dense_lists(random, 8, 0.5));
    for (const Neighbourhood &own : scenario.graph) {
        scenario.entries.emplace_back(kind == BlockKind::one_per_rank ? 1 : own.out.size(), 1);
    }
    AnalysisSettings settings;
    for (const Algorithm &row : registry()) {
        settings.algorithms.emplace_back(row.name);
    }
    settings.block_bytes = {8};
    settings.prove = true;
    settings.values.set(kEchoTimes, 8);
    const ScenarioReport report =
        analyse(scenario, layout, settings, nullptr, [](const std::string &) {});
    testing::internal::CaptureStdout();
    print_report(report, layout, settings.costs, {});
    return testing::internal::GetCapturedStdout();
}

TEST(ExplainExtraRow, IsInTheTablesOfTheBlocksThatItServes)
{
    EXPECT_EQ(tables_of(BlockKind::one_per_edge).find("echo"), std::string::npos);
    const ExtraRow row(echo_row());
    const std::string tables = tables_of(BlockKind::one_per_edge);
    EXPECT_NE(tables.find("\necho "), std::string::npos) << tables;
    EXPECT_EQ(tables.find("WRONG"), std::string::npos) << tables;
    EXPECT_EQ(echo_times_seen, 8) << "values reach its builder";
    EXPECT_EQ(tables_of(BlockKind::one_per_rank).find("echo"), std::string::npos);
}

// The reason for which a command line is refused, or "accepted".
std::string parse(const char *line, ParameterValues &values)
{
    CLI::App app("test");
    add_parameter_options(app, values);
    try {
        app.parse(line, false);
    } catch (const CLI::ParseError &error) {
        return error.what();
    }
    return "accepted";
}

TEST(ExplainExtraRow, HasAnOptionForItsParameter)
{
    const ExtraRow row(echo_row());
    CLI::App app("test");
    ParameterValues values;
    add_parameter_options(app, values);
    EXPECT_NE(app.help().find("--echo-times"), std::string::npos);
    EXPECT_NE(app.help().find("What builders of echo are given"), std::string::npos);
    EXPECT_EQ(parse("--echo-times 5", values), "accepted");
    EXPECT_EQ(values.get(kEchoTimes), 5);
    EXPECT_NE(parse("--echo-times 10", values).find("not in range"), std::string::npos);
    EXPECT_EQ(values.get(kEchoTimes), 5);
}

TEST(ExplainParameters, AreThoseThatSteerPatterns)
{
    ParameterValues values;
    EXPECT_EQ(parse("--combining-threshold 4KiB --packing-threshold 100 --expected-bytes 1MiB "
                    "--relays-per-region 2 --combine-local -1",
                    values),
              "accepted");
    EXPECT_EQ(values.get(kCombiningThreshold), 4096U);
    EXPECT_EQ(values.get(kPackingThreshold), 100U);
    EXPECT_EQ(values.get(kBlockBytes), 1U << 20);
    EXPECT_EQ(values.get(kRelaysPerRegion), 2);
    EXPECT_EQ(values.get(kCombineLocal), -1);
    EXPECT_NE(parse("--preposted-size 100", values), "accepted") << "steers messages only";
    EXPECT_NE(parse("--packing-threshold 0", values), "accepted");
}

} // namespace
} // namespace nbrhood::test
