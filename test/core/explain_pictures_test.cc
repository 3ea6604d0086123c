// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The pictures of nbrhood-explain, as gnuplot scripts: pictures of one graph are comparable.
#include <gtest/gtest.h>

#include "nbrhood-explain/speed_up_picture.h"
#include "nbrhood-explain/timeline_picture.h"
#include "nbrhood-explain/traffic_picture.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::explain::AlgorithmReport;
using nbrhood_tools::explain::Layout;
using nbrhood_tools::explain::ScenarioReport;
using nbrhood_tools::explain::speed_up_script;
using nbrhood_tools::explain::timeline_script;
using nbrhood_tools::explain::traffic_script;
using nbrhood_tools::explain::TrafficMatrix;

// The lines of a script that begin with a text.
std::vector<std::string> lines(const std::string &script, const std::string &begin)
{
    std::vector<std::string> found;
    for (std::size_t at = 0; at < script.size();) {
        const std::size_t end = std::min(script.find('\n', at), script.size());
        if (script.compare(at, begin.size(), begin) == 0) {
            found.push_back(script.substr(at, end - at));
        }
        at = end + 1;
    }
    return found;
}

// Two ranks on two nodes, and `messages` messages of 10 bytes from rank 0 to 1 that take a
// microsecond each.
AlgorithmReport algorithm(const std::string &name, int messages, std::uint8_t phase)
{
    AlgorithmReport report;
    report.name = name;
    report.sizes.resize(1);
    report.sizes[0].bytes = 10;
    report.sizes[0].seconds.events = 1e-6 * messages;
    for (TrafficMatrix *matrix : {&report.messages_by_rank, &report.messages_by_node,
                                  &report.bytes_by_rank, &report.bytes_by_node}) {
        *matrix = TrafficMatrix(2);
    }
    for (int message = 0; message < messages; ++message) {
        report.messages_by_rank.add(0, 1, 1);
        report.messages_by_node.add(0, 1, 1);
        report.bytes_by_rank.add(0, 1, 10);
        report.bytes_by_node.add(0, 1, 10);
        report.timeline.push_back({0, Activity::send, 0, 1e-6 * message, 1e-6 * (message + 1)});
    }
    report.phases = {{phase, 0, 1e-6 * messages}};
    return report;
}

class ExplainPictures : public testing::Test {
protected:
    ExplainPictures()
    {
        layout_.cluster = Cluster{{0, 1}, {1, 1}};
        report_.graph = "test";
        report_.algorithms = {algorithm("direct", 64, kLocal), algorithm("aggregated", 1, kInter)};
    }

    Layout layout_;
    ScenarioReport report_;
};

TEST_F(ExplainPictures, TrafficHasOneScaleForAllAlgorithms)
{
    const std::string direct = traffic_script(report_, report_.algorithms[0], layout_, "machine");
    const std::string other = traffic_script(report_, report_.algorithms[1], layout_, "machine");
    EXPECT_EQ(lines(direct, "set cbrange"),
              (std::vector<std::string>{"set cbrange [1:64]", "set cbrange [1:64]",
                                        "set cbrange [8:1024]", "set cbrange [8:1024]"}));
    EXPECT_EQ(lines(other, "set cbrange"), lines(direct, "set cbrange"));
    EXPECT_EQ(lines(other, "set cblabel"),
              (std::vector<std::string>{
                  "set cblabel 'messages in a call'", "set cblabel 'messages in a call'",
                  "set cblabel 'bytes in a call'", "set cblabel 'bytes in a call'"}));
}

TEST_F(ExplainPictures, TimelinesHaveOneAxisAndNamesOfPhases)
{
    const std::string direct = timeline_script(report_, report_.algorithms[0], layout_, "machine");
    const std::string other = timeline_script(report_, report_.algorithms[1], layout_, "machine");
    EXPECT_EQ(lines(direct, "set xrange"), std::vector<std::string>{"set xrange [0:64]"});
    EXPECT_EQ(lines(other, "set xrange"), lines(direct, "set xrange"));
    EXPECT_EQ(lines(direct, "set label 'direct'").size(), 1U);
    EXPECT_EQ(lines(direct, "set label 'done").size(), 0U) << "the axis ends there";
    EXPECT_EQ(lines(other, "set label 'between regions'").size(), 1U);
    EXPECT_EQ(lines(other, "set label 'done: 1.0 us'").size(), 1U);
}

// Three sizes; aggregated has no time for the second.
TEST_F(ExplainPictures, SpeedUpsAreModelledAndNotSqueezedByBounds)
{
    report_.bytes = {8, 16, 32};
    report_.bounds.resize(3);
    for (nbrhood_tools::explain::AlgorithmReport &algorithm : report_.algorithms) {
        algorithm.sizes.resize(3, algorithm.sizes.front());
        for (nbrhood_tools::explain::SizeReport &size : algorithm.sizes) {
            size.speed_up = 2;
        }
    }
    report_.algorithms[1].sizes[1].speed_up = 0; // not known
    for (auto &bound : report_.bounds) {
        bound.seconds = 1e-6;
    }
    const std::string script = speed_up_script(report_, "machine");
    EXPECT_EQ(lines(script, "set ylabel"),
              std::vector<std::string>{"set ylabel 'speed-up over direct, modelled'"});
    EXPECT_EQ(lines(script, "set yrange"), std::vector<std::string>{"set yrange [0.85:2.26]"})
        << "the bound leaves a factor of 64";
    EXPECT_NE(script.find("'possible by the lower bound, up to 64'"), std::string::npos);
    EXPECT_NE(script.find("$curve0 << EOD\n8 2 \n16 nan \n32 2 \nEOD\n"), std::string::npos)
        << script;
}

} // namespace
} // namespace nbrhood::test
