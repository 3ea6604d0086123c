// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The fit of nbrhood-calibrate, on times that a model with known costs gives.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "nbrhood-calibrate/fit.h"
#include "nbrhood-calibrate/least_squares.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::calibrate::Fit;
using nbrhood_tools::calibrate::Kind;
using nbrhood_tools::calibrate::Observation;
using nbrhood_tools::calibrate::Shape;
using nbrhood_tools::calibrate::Sharing;
using nbrhood_tools::calibrate::why_useless;

// Powers of two that differ from kind to kind, so that the test notices when kinds are confused.
Fit known_fit()
{
    Fit fit;
    fit.costs[Link::socket] = {0.125e-6, 0.15e-9, 0.5e-6, 0.07e-9};
    fit.costs[Link::node] = {0.25e-6, 0.2e-9, 1e-6, 0.1e-9};
    fit.costs[Link::network] = {1e-6, 0.6e-9, 4e-6, 0.08e-9};
    fit.costs.protocol_switch = 4096;
    fit.costs.injection_byte = 0.05e-9;
    fit.costs.copy_byte = 0.03e-9;
    fit.costs.phase_latency = 0.5e-6;
    fit.network_phase = 1.5e-6;
    fit.alone_phase_latency = 1.2e-6;
    fit.alone = {0.8e-6, 0.6e-9, 3e-6, 0.08e-9};
    return fit;
}

// All ranks share the injection, which costs more than a rank's own bytes when 16 send.
constexpr int kRanksOfNode = 16;

std::vector<Observation> observe(const Fit &fit, const Sharing &sharing, double noise)
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
    std::vector<Observation> observations;
    const auto add = [&](const Shape &shape) {
        observations.push_back(
            {shape, nbrhood_tools::calibrate::predict(fit, sharing, shape) * factor(random)});
    };
    for (Kind kind : {Kind::socket, Kind::node, Kind::network, Kind::alone}) {
        for (std::size_t bytes : {8, 512, 4096, 16384, 65536, 262144}) {
            for (int messages : {1, 4, 16}) {
                add({kind, 1, messages, bytes});
            }
        }
        for (int rounds : {2, 4}) {
            add({kind, rounds, 1, 8});
        }
    }
    add({Kind::copy, 1, 16, 4096});
    return observations;
}

void expect_near(double value, double expected, double tolerance, const char *what)
{
    EXPECT_NEAR(value / expected, 1, tolerance) << what << ": " << value << ", not " << expected;
}

void expect_costs(const Costs &found, const Costs &expected, double tolerance)
{
    expect_near(found[Link::node].message, expected[Link::node].message, tolerance,
                "local message");
    expect_near(found[Link::node].byte, expected[Link::node].byte, tolerance, "local byte");
    expect_near(found[Link::node].long_message, expected[Link::node].long_message, tolerance,
                "long local");
    expect_near(found[Link::node].long_byte, expected[Link::node].long_byte, tolerance,
                "long local byte");
    expect_near(found[Link::network].message, expected[Link::network].message, tolerance,
                "message");
    expect_near(found[Link::network].long_message, expected[Link::network].long_message, tolerance,
                "long");
    expect_near(found[Link::network].long_byte, expected[Link::network].long_byte, tolerance,
                "long byte");
    expect_near(found.injection_byte, expected.injection_byte, tolerance, "injection");
    expect_near(found.copy_byte, expected.copy_byte, tolerance, "copy");
    expect_near(found.phase_latency, expected.phase_latency, tolerance, "phase");
    EXPECT_EQ(found.protocol_switch, expected.protocol_switch);
}

TEST(CalibrateFit, FindsTheCostsThatMadeTheTimes)
{
    for (double ranks_per_core : {1.0, 8.0}) {
        const Sharing sharing{ranks_per_core, ranks_per_core, ranks_per_core, kRanksOfNode};
        Fit known = known_fit();
        // If this many ranks share a core, injection is the limit only at this cost.
        known.costs.injection_byte *= ranks_per_core;
        const Fit found = fit(observe(known, sharing, 0), sharing);
        expect_costs(found.costs, known.costs, 0.01);
        EXPECT_LT(found.node_error.largest, 0.01);
        EXPECT_LT(found.network_error.largest, 0.01);
        EXPECT_LT(found.alone_error.largest, 0.01);
        EXPECT_TRUE(found.notes.empty());
    }
}

TEST(CalibrateFit, NoiseDoesNotMoveTheCostsFar)
{
    const Sharing sharing{1, 1, 1, kRanksOfNode};
    const Fit found = fit(observe(known_fit(), sharing, 0.05), sharing);
    expect_costs(found.costs, known_fit().costs, 0.2);
    EXPECT_LT(found.node_error.median, 0.06);
    EXPECT_GT(found.node_error.largest, 0.01) << "an error that the noise must cause is not shown";
}

TEST(CalibrateFit, BytesThatInjectionDoesNotExplainAreTheRanks)
{
    // Eager bytes cost a rank more while all ranks send, and less alone.
    const Sharing sharing{1, 1, 1, kRanksOfNode};
    Fit known = known_fit();
    known.costs[Link::network].byte = 2e-9;
    const Fit found = fit(observe(known, sharing, 0), sharing);
    expect_near(found.costs[Link::network].byte, 2e-9, 0.01, "byte");
}

TEST(CalibrateFit, SharesTheInjectionOfOneRankANode)
{
    // One rank of each node has messages for other nodes: it injects as fast as it sends.
    const Sharing sharing{1, 1, 1, 1};
    Fit known = known_fit();
    known.alone = known.costs[Link::network];
    const Fit found = fit(observe(known, sharing, 0), sharing);
    expect_near(found.costs[Link::network].long_byte, 0.08e-9, 0.01, "byte");
    expect_near(found.costs.injection_byte, 0.08e-9, 0.01, "injection");
}

TEST(CalibrateFit, SaysWhatCannotBeToldFromZero)
{
    const Sharing sharing{1, 1, 1, kRanksOfNode};
    Fit known = known_fit();
    known.costs.phase_latency = 0;
    const Fit found = fit(observe(known, sharing, 0), sharing);
    ASSERT_EQ(found.notes.size(), 1U);
    EXPECT_NE(found.notes[0].find("phase_latency"), std::string::npos) << found.notes[0];
    EXPECT_NEAR(found.costs.phase_latency, 0, 1e-12);
}

TEST(CalibrateFit, SaysThatItIsBad)
{
    const Sharing sharing{1, 1, 1, kRanksOfNode};
    std::vector<Observation> observations = observe(known_fit(), sharing, 0);
    for (std::size_t i = 0; i < observations.size(); ++i) {
        observations[i].seconds *= i % 2 == 0 ? 3 : 1.0 / 3;
    }
    const Fit found = fit(observations, sharing);
    ASSERT_FALSE(found.notes.empty());
    EXPECT_NE(found.notes[0].find("poorly"), std::string::npos) << found.notes[0];
}

TEST(CalibrateFit, NoisyCostsAreUsable)
{
    const Sharing sharing{1, 1, 1, kRanksOfNode};
    EXPECT_EQ(why_useless(fit(observe(known_fit(), sharing, 0.5), sharing)), "");
}

TEST(CalibrateFit, OneExchangeThatTakesATenthMakesCostsUseless)
{
    const Sharing sharing{1, 1, 1, kRanksOfNode};
    std::vector<Observation> observations = observe(known_fit(), sharing, 0);
    for (Observation &observation : observations) {
        if (observation.shape.kind == Kind::network && observation.shape.rounds == 4) {
            observation.seconds /= 99;
        }
    }
    const std::string reason = why_useless(fit(observations, sharing));
    EXPECT_EQ(reason.rfind("between nodes the largest error of the fit is ", 0), 0U) << reason;
    EXPECT_NE(reason.find(" %, the limit 900 %"), std::string::npos) << reason;
}

TEST(CalibrateFit, EachLinkAndBothErrorsHaveALimit)
{
    const auto reason = [](nbrhood_tools::calibrate::FitError Fit::*link, double median,
                           double largest) {
        Fit fit;
        fit.*link = {median, largest};
        return why_useless(fit);
    };
    EXPECT_EQ(reason(&Fit::node_error, 0.99, 8.99), "");
    EXPECT_EQ(reason(&Fit::socket_error, 1.01, 2),
              "inside sockets the median error of the fit is 101 %, the limit 100 %");
    EXPECT_EQ(reason(&Fit::node_error, 0.2, 98.28),
              "inside nodes the largest error of the fit is 9828 %, the limit 900 %");
    EXPECT_EQ(reason(&Fit::network_error, 2, 20),
              "between nodes the median error of the fit is 200 %, the limit 100 %");
    EXPECT_EQ(reason(&Fit::alone_error, 0.2, 20),
              "between nodes (one rank on each) the largest error of the fit is 2000 %, the limit "
              "900 %");
    EXPECT_NE(reason(&Fit::network_error, std::nan(""), 0), "");
}

TEST(CalibrateLeastSquares, KeepsCoefficientsFromBeingNegative)
{
    // 5 - x fits best without the bound.
    using nbrhood_tools::calibrate::Row;
    const std::vector<Row> rows{Row{1, 1, 0, 0, 0}, Row{1, 2, 0, 0, 0}, Row{1, 3, 0, 0, 0}};
    const auto solution = nbrhood_tools::calibrate::solve(rows, {4, 3, 2});
    EXPECT_EQ(solution.coefficients[1], 0);
    EXPECT_GT(solution.coefficients[0], 2);
    EXPECT_LT(solution.coefficients[0], 4);
    for (std::size_t c = 2; c < solution.coefficients.size(); ++c) {
        EXPECT_EQ(solution.coefficients[c], 0);
    }
}

TEST(CalibrateLeastSquares, TwiceIsAsFarAsHalf)
{
    using nbrhood_tools::calibrate::Row;
    const std::vector<Row> rows(2, Row{1, 0, 0, 0, 0});
    const auto solution = nbrhood_tools::calibrate::solve(rows, {1, 4});
    EXPECT_NEAR(solution.coefficients[0], 2, 1e-6);
}

} // namespace
} // namespace nbrhood::test
