// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Properties of the evaluation of any call: the activities of ranks add up to the costs, no more
// cores are used than exist, and no call is faster than its parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "flow_support.h"
#include "analysis/closed_forms.h"

namespace nbrhood::test {
namespace {

constexpr double kRounding = 1e-12; // of sums of seconds, relative to their greatest

// The processor's part of a message at its ends, as defined in the comment at LogGops.
struct Overheads {
    double source = 0;
    double destination = 0;
    double both() const { return source + destination; }
};
Overheads overheads(const FlowMessage &message, const Case &c)
{
    const LinkCosts &link = c.costs[c.cluster.link(message.source, message.destination)];
    const auto bytes = static_cast<double>(message.bytes);
    const bool is_long = bytes > c.costs.protocol_switch;
    const double half = 0.5 * (is_long ? link.long_message : link.message)
                        + 0.5 * bytes * (is_long ? link.long_byte : link.byte);
    const double segment =
        0.5 * (c.cluster.ranks_per_core() > 1 ? 0.25 : 0.05) * c.costs[Link::node].message;
    return Overheads{half + (message.gathered != 0 ? bytes : 0) * c.costs.copy_byte
                         + segment * message.gathered,
                     half + static_cast<double>(message.scattered_bytes) * c.costs.copy_byte
                         + segment * message.scattered};
}

// The longest chain of messages, each with its overheads and, where there is one, the latency.
double longest_chain(const Flow &flow, const Case &c)
{
    const double latency = c.cluster.ranks_per_core() > 1 ? 0 : c.costs.phase_latency;
    const auto &messages = flow.messages();
    std::vector<double> before(messages.size(), 0);
    std::vector<std::uint32_t> missing, open;
    for (std::uint32_t m = 0; m < messages.size(); ++m) {
        missing.push_back(messages[m].waits_for);
        if (missing[m] == 0) {
            open.push_back(m);
        }
    }
    double longest = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::uint32_t m = open[i];
        const double after = before[m] + overheads(messages[m], c).both() + latency;
        longest = std::max(longest, after);
        for (const std::uint32_t next : flow.feeds(m)) {
            before[next] = std::max(before[next], after);
            if (--missing[next] == 0) {
                open.push_back(next);
            }
        }
    }
    EXPECT_EQ(open.size(), messages.size());
    return longest;
}

// On each rank no two intervals overlap, and those of messages last as long as the messages cost.
void expect_ranks(const Flow &flow, const Case &c, const std::vector<Interval> &timeline,
                  const Evaluation &evaluation)
{
    const auto ranks = static_cast<std::size_t>(flow.ranks());
    std::vector<double> free(ranks, 0), worked(ranks, 0), wanted(ranks, 0);
    for (const Interval &interval : timeline) {
        const auto rank = static_cast<std::size_t>(interval.rank);
        EXPECT_GE(interval.begin, free[rank]);
        EXPECT_GT(interval.end, interval.begin);
        free[rank] = interval.end;
        if (interval.activity != Activity::context_switch) {
            worked[rank] += interval.end - interval.begin;
        } else {
            EXPECT_NEAR(interval.end - interval.begin, c.costs.phase_latency,
                        kRounding * evaluation.seconds);
            EXPECT_GT(c.cluster.ranks_per_core(), 1);
        }
        if (interval.activity == Activity::send) {
            EXPECT_EQ(flow.messages().at(interval.message).source, interval.rank);
        } else if (interval.activity == Activity::receive) {
            EXPECT_EQ(flow.messages().at(interval.message).destination, interval.rank);
        }
    }
    bool all_take_time = c.costs.copy_byte > 0;
    for (const FlowMessage &message : flow.messages()) {
        const Overheads seconds = overheads(message, c);
        all_take_time = all_take_time && seconds.source > 0 && seconds.destination > 0;
        wanted[static_cast<std::size_t>(message.source)] += seconds.source;
        wanted[static_cast<std::size_t>(message.destination)] +=
            seconds.destination + static_cast<double>(message.copied_bytes) * c.costs.copy_byte;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        wanted[rank] +=
            static_cast<double>(flow.self_bytes(static_cast<Rank>(rank))) * c.costs.copy_byte;
        EXPECT_NEAR(worked[rank], wanted[rank], kRounding * (evaluation.seconds + wanted[rank]));
        // An activity that takes no time leaves no interval.
        EXPECT_GE(evaluation.finished[rank], free[rank] * (1 - kRounding));
        if (all_take_time) {
            EXPECT_LE(evaluation.finished[rank], free[rank] * (1 + kRounding));
        }
    }
}

// No node has more ranks at work than cores.
void expect_cores(const Case &c, const std::vector<Interval> &timeline)
{
    std::map<std::int32_t, std::vector<std::pair<double, int>>> changes; // ends before beginnings
    for (const Interval &interval : timeline) {
        auto &of_node = changes[c.cluster.node_of[static_cast<std::size_t>(interval.rank)]];
        of_node.emplace_back(interval.begin, 1);
        of_node.emplace_back(interval.end, -1);
    }
    for (auto &[node, of_node] : changes) {
        std::sort(of_node.begin(), of_node.end());
        int working = 0;
        for (const auto &change : of_node) {
            working += change.second;
            EXPECT_LE(working, c.cluster.cores[static_cast<std::size_t>(node)]);
        }
        EXPECT_EQ(working, 0);
    }
}

TEST(EvaluationTimeline, HoldsAllWorkOnTheCoresThereAre)
{
    int switches = 0;
    for (int seed = 0; seed < scaled(400) && !HasFailure(); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Case c(random, draw(random, 1, 40));
        for (std::size_t algorithm = 0; algorithm < registry().size(); ++algorithm) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + registry()[algorithm].name);
            if (!serves(registry()[algorithm], c.kind)) {
                continue;
            }
            const Flow flow = c.flow(algorithm);
            std::vector<Interval> timeline;
            const Evaluation evaluation = evaluate(flow, c.cluster, c.costs, &timeline);
            EXPECT_TRUE(std::is_sorted(
                timeline.begin(), timeline.end(),
                [](const Interval &a, const Interval &b) { return a.begin < b.begin; }));
            expect_ranks(flow, c, timeline, evaluation);
            expect_cores(c, timeline);
            for (const Interval &interval : timeline) {
                switches += interval.activity == Activity::context_switch ? 1 : 0;
            }
            // It is the same without a timeline, and the same again.
            const Evaluation again = evaluate(flow, c.cluster, c.costs);
            EXPECT_EQ(evaluation.seconds, again.seconds);
            EXPECT_EQ(evaluation.finished, again.finished);
            EXPECT_EQ(evaluation.seconds,
                      *std::max_element(evaluation.finished.begin(), evaluation.finished.end()));
        }
    }
    EXPECT_GT(switches, 0);
}

TEST(EvaluationTimeline, NoCallIsFasterThanItsLongestChainOrTheLowerBound)
{
    int close = 0;
    for (int seed = 0; seed < scaled(1000) && !HasFailure(); ++seed) {
        Random random(static_cast<std::uint64_t>(seed) + 5000);
        const Case c(random, draw(random, 1, 40));
        const LowerBound bound = lower_bound(c.graph, c.kind, c.bytes, c.cluster, c.costs);
        for (std::size_t algorithm = 0; algorithm < registry().size(); ++algorithm) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + registry()[algorithm].name);
            if (!serves(registry()[algorithm], c.kind)) {
                continue;
            }
            const Flow flow = c.flow(algorithm);
            const double seconds = evaluate(flow, c.cluster, c.costs).seconds;
            const double rounded = seconds * (1 + kRounding);
            EXPECT_GE(rounded, longest_chain(flow, c));
            EXPECT_GE(rounded, bound.seconds_of_any);
            if (enters_regions_once(
                    registry()[algorithm])) { // the patterns to which the bound applies
                EXPECT_GE(rounded, bound.seconds);
            }
            close += bound.seconds > 0.5 * seconds ? 1 : 0;
        }
    }
    EXPECT_GT(close, 0) << "a bound that is never near says nothing";
}

} // namespace
} // namespace nbrhood::test
