// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The answer of nbrhood-explain agrees with its tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nbrhood-explain/answer.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::explain::AlgorithmReport;
using nbrhood_tools::explain::answer_statements;
using nbrhood_tools::explain::find_answers;
using nbrhood_tools::explain::prefers_another;
using nbrhood_tools::explain::ScenarioReport;
using nbrhood_tools::explain::SizeAnswer;
using nbrhood_tools::explain::SizeReport;

// Calls take 100 microseconds with direct.
constexpr double kDirectSeconds = 100e-6;

AlgorithmReport algorithm(const std::string &name, const std::vector<double> &speed_ups)
{
    AlgorithmReport report;
    report.name = name;
    std::int64_t bytes = 8;
    for (const double speed_up : speed_ups) {
        SizeReport size;
        size.bytes = bytes;
        size.seconds.events = kDirectSeconds / speed_up;
        size.speed_up = speed_up;
        report.sizes.push_back(size);
        bytes *= 64;
    }
    return report;
}

// Blocks of 8, 512 and 32K bytes.
ScenarioReport report_with(const std::string &choice, const std::vector<double> &aggregated,
                           const std::vector<double> &two_step)
{
    ScenarioReport report;
    report.algorithms.push_back(algorithm("direct", std::vector<double>(aggregated.size(), 1)));
    report.algorithms.push_back(algorithm("aggregated", aggregated));
    report.algorithms.push_back(algorithm("two_step", two_step));
    report.algorithms[1].creation = {{{0, 1, 40}, {1, 0, 8}}, 2};
    report.algorithms[1].creation_seconds = 1e-3;
    for (const SizeReport &size : report.algorithms.front().sizes) {
        report.bytes.push_back(size.bytes);
    }
    report.automatic = {choice, "a reason"};
    report.answers = find_answers(report);
    return report;
}

using Statements = std::vector<std::string>;

TEST(ExplainAnswer, SaysWhereEventsPreferAnotherThanAuto)
{
    const ScenarioReport report = report_with("aggregated", {1.26, 1.1, 1}, {1.48, 1.12, 1});
    ASSERT_EQ(report.answers.size(), 3U);
    EXPECT_EQ(report.answers[0].speed_up, 1.26);
    EXPECT_EQ(report.answers[0].fastest, "two_step");
    EXPECT_EQ(report.answers[0].fastest_speed_up, 1.48);
    EXPECT_TRUE(prefers_another(report.answers[0]));
    EXPECT_EQ(report.answers[1].fastest, "two_step");
    EXPECT_FALSE(prefers_another(report.answers[1])) << "as good as the same";
    EXPECT_EQ(report.answers[2].fastest, "direct");
    // A call gains 100 - 100 / 1.26 microseconds.
    EXPECT_EQ(report.answers[0].break_even_calls, std::ceil(1000 / (100 - 100 / 1.26)));
    EXPECT_EQ(report.answers[2].break_even_calls, 0);
    EXPECT_EQ(answer_statements(report),
              (Statements{
                  "auto takes aggregated (a reason): 1.10 to 1.26 times as fast as Open MPI's own "
                  "with blocks of 8 to 512 bytes; no gain from blocks of 32K bytes on (1.00): Open "
                  "MPI's own (default) is as fast",
                  "creation takes 2 messages of 6 words (mean) in 2 rounds, about 1.0 ms: "
                  "break-even after about 49 to 110 calls with blocks of 8 to 512 bytes",
                  "events prefer two_step with blocks of 8 bytes (1.48); where most blocks are "
                  "like that, name it: --mca coll_nbrhood_neighbor_alltoallv_algorithm two_step"}));
}

TEST(ExplainAnswer, SaysWhichSizesGoWhichWay)
{
    ScenarioReport report = report_with("aggregated", {1.26, 1.1, 1}, {1, 1, 1});
    report.automatic.by_size = {{kAnySize, kDirectChoice}};
    EXPECT_EQ(answer_statements(report).size(), 2U) << "one way is none to tell of";
    report.automatic.by_size = {{2048, find_choice("aggregated")},
                                {65536, find_choice("two_step")},
                                {kAnySize, kDirectChoice}};
    EXPECT_EQ(answer_statements(report).at(1),
              "auto takes for neighbor_alltoall, where all ranks know the size: aggregated with "
              "blocks of up to 2K bytes, two_step with blocks of up to 64K bytes, direct with "
              "blocks of more than 64K bytes");
}

TEST(ExplainAnswer, SaysThatNothingIsGained)
{
    const ScenarioReport report = report_with("direct", {0.5, 0.9, 1.04}, {1, 1.04, 1});
    EXPECT_EQ(report.answers[0].speed_up, 1);
    EXPECT_EQ(
        answer_statements(report),
        (Statements{"auto takes direct (a reason): one message for each edge, as Open MPI's own",
                    "no gain: Open MPI's own (default) is as fast"}));
}

TEST(ExplainAnswer, SaysWhatAutoLeavesLying)
{
    ScenarioReport report = report_with("direct", {2, 1, 0.5}, {1.5, 3, 1});
    report.kind = BlockKind::one_per_rank;
    EXPECT_EQ(
        answer_statements(report),
        (Statements{"auto takes direct (a reason): one message for each edge, as Open MPI's own",
                    "events prefer aggregated with blocks of 8 bytes (2.00), two_step with "
                    "blocks of 512 bytes (3.00); where most blocks are like that, name it: "
                    "--mca coll_nbrhood_neighbor_allgather_algorithm aggregated or "
                    "two_step"}));
}

TEST(ExplainAnswer, SaysWhereAutoLoses)
{
    const ScenarioReport report = report_with("aggregated", {0.5, 1, 0.9}, {0.25, 1, 0.9});
    EXPECT_EQ(report.answers[0].fastest, "direct");
    EXPECT_EQ(answer_statements(report),
              (Statements{
                  "auto takes aggregated (a reason): slower than Open MPI's own with blocks of 8 "
                  "bytes (0.50); no gain with blocks of 512 bytes (1.00): Open MPI's own (default) "
                  "is as fast; slower than Open MPI's own with blocks of 32K bytes (0.90)",
                  "creation takes 2 messages of 6 words (mean) in 2 rounds, about 1.0 ms: never "
                  "breaks even",
                  "events prefer direct with blocks of 8 bytes (1.00), direct with blocks of "
                  "32K bytes (1.00); where most blocks are like that, name it: --mca "
                  "coll_nbrhood_neighbor_alltoallv_algorithm direct"}));
}

// A recorded pattern is reported, but cannot be named as an algorithm.
TEST(ExplainAnswer, SaysWhatARecordingGains)
{
    ScenarioReport report = report_with("direct", {1, 1, 1}, {1, 1, 1});
    report.algorithms.insert(report.algorithms.begin(),
                             algorithm("recorded aggregated", {1.5, 1, 1}));
    report.answers = find_answers(report);
    EXPECT_EQ(report.answers[0].fastest, "direct");
    EXPECT_EQ(
        answer_statements(report).back(),
        "recorded aggregated: 1.50 times as fast as Open MPI's own with blocks of 8 bytes; no "
        "gain from blocks of 512 bytes on (1.00): Open MPI's own (default) is as fast");
}

TEST(ExplainAnswer, SaysWhatIsMissing)
{
    ScenarioReport report = report_with("", {2, 1, 1}, {1, 1, 1});
    report.automatic.reason = "--algorithms leaves two_step out";
    EXPECT_EQ(report.answers[0].speed_up, 0);
    EXPECT_EQ(answer_statements(report).front(),
              "the choice of auto is unknown (--algorithms leaves two_step out)");
    report.algorithms.erase(report.algorithms.begin());
    report.answers = find_answers(report);
    EXPECT_EQ(
        answer_statements(report),
        (Statements{"none: --algorithms leaves direct out, to which the others are compared"}));
}

} // namespace
} // namespace nbrhood::test
