// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The route of one block in leader_scatter: the paper's figures, and every set of destinations.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "algorithms/leader_scatter/scatter_plan.h"
#include "analysis/location.h"
#include "analysis/gpu_nodes.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr int kDies = 8;
constexpr std::size_t kLeaders = 8;

// Rank r is die r % 8 of node r / 8, as in the paper's figures.
ScatterPlace place_of(Rank rank, const DieLinks &links)
{
    const int die = rank % kDies;
    return {rank, rank / kDies, links.package_of(die), die};
}

// Leaders are chosen as in the paper, unless ranks take turns.
std::vector<ScatterTransfer> plan(Rank source, const std::vector<Rank> &destinations,
                                  const DieLinks &links = mi250_links(), bool by_turns = false)
{
    std::vector<ScatterPlace> places;
    for (const Rank rank : destinations) {
        places.push_back(place_of(rank, links));
    }
    return plan_scatter(place_of(source, links), places, links, kLeaders, by_turns);
}

// E.g. "6>4 0-1/2 kGather": phases as 1, 2, 3.
std::string text_of(const ScatterTransfer &transfer)
{
    return std::to_string(transfer.from) + '>' + std::to_string(transfer.to) + ' '
           + std::to_string(transfer.first) + '-' + std::to_string(transfer.last) + '/'
           + std::to_string(transfer.of) + " in " + std::to_string(transfer.phase);
}

std::vector<std::string> sorted_text(const std::vector<ScatterTransfer> &transfers)
{
    std::vector<std::string> lines;
    std::transform(transfers.begin(), transfers.end(), std::back_inserter(lines), text_of);
    std::sort(lines.begin(), lines.end());
    return lines;
}

using Lines = std::vector<std::string>;

TEST(ScatterPlan, Mi250IsAsThePaperSays)
{
    const DieLinks links = mi250_links();
    EXPECT_EQ(links.hops(0, 4), 1); // section II-C
    EXPECT_EQ(links.hops(0, 2), 2);
    EXPECT_EQ(links.links(6, 4), 0); // figure 2
    EXPECT_EQ(links.links(6, 5), 0);
    EXPECT_GT(links.links(1, 3), 0); // figure 3
    EXPECT_EQ(links.links(1, 2), 0);
}

TEST(ScatterPlan, Figure2HalvesToDiesWithoutALink)
{
    EXPECT_EQ(sorted_text(plan(6, {4, 5})),
              (Lines{"4>5 0-2/4 in 2", "5>4 2-4/4 in 2", "6>4 0-2/4 in 1", "6>5 2-4/4 in 1"}));
    // On an MI250X node the corresponding dies are 0 and its destinations 4 and 5; 6 and 4 are
    // linked.
    EXPECT_EQ(sorted_text(plan(0, {4, 5}, mi250x_links())),
              (Lines{"0>4 0-2/4 in 1", "0>5 2-4/4 in 1", "4>5 0-2/4 in 2", "5>4 2-4/4 in 2"}));
    EXPECT_EQ(sorted_text(plan(6, {4, 5}, mi250x_links())),
              (Lines{"4>5 0-1/1 in 2", "6>4 0-1/1 in 1"}));
}

TEST(ScatterPlan, Figure3AllOverTheLinkedDie)
{
    EXPECT_EQ(sorted_text(plan(1, {2, 3})), (Lines{"1>3 0-1/1 in 1", "3>2 0-1/1 in 2"}));
}

// Thirds, by links (equation 2) and by hops (equation 1).
TEST(ScatterPlan, EquationsGiveThirds)
{
    const DieLinks by_links({{0, 0, 1, 2}, {0, 0, 0, 0}, {1, 0, 0, 4}, {2, 0, 4, 0}}, {0, 0, 1, 1});
    EXPECT_EQ(
        sorted_text(plan_scatter({0, 0, 0, 0}, {{2, 0, 1, 2}, {3, 0, 1, 3}}, by_links, 8, true)),
        (Lines{"0>2 0-1/3 in 1", "0>3 1-3/3 in 1", "2>3 0-1/3 in 2", "3>2 1-3/3 in 2"}));
    // Die 3 is two hops away over 1, die 4 four hops: the first gets 4/6.
    const DieLinks by_hops({{0, 1, 0, 0, 0, 0},
                            {1, 0, 0, 1, 0, 0},
                            {0, 0, 0, 0, 0, 1},
                            {0, 1, 0, 0, 0, 1},
                            {0, 0, 0, 0, 0, 1},
                            {0, 0, 1, 1, 1, 0}},
                           {0, 1, 2, 3, 3, 4});
    ASSERT_EQ(by_hops.hops(0, 3), 2);
    ASSERT_EQ(by_hops.hops(0, 4), 4);
    EXPECT_EQ(
        sorted_text(plan_scatter({0, 0, 0, 0}, {{3, 0, 3, 3}, {4, 0, 3, 4}}, by_hops, 8, true)),
        (Lines{"0>3 0-4/6 in 1", "0>4 4-6/6 in 1", "3>4 0-4/6 in 2", "4>3 4-6/6 in 2"}));
}

// Between nodes: whole blocks that leave the source, and the number without the plan.
TEST(ScatterPlan, Figures4To6CrossTheNetworkOnce)
{
    EXPECT_EQ(sorted_text(plan(9, {0, 1})), (Lines{"0>1 0-1/1 in 2", "9>0 0-1/1 in 1"}));
    EXPECT_EQ(sorted_text(plan(9, {0, 1, 2, 3})),
              (Lines{"0>1 0-1/2 in 2", "0>1 1-2/2 in 3", "0>2 0-1/2 in 2", "2>0 1-2/2 in 2",
                     "2>3 0-1/2 in 3", "2>3 1-2/2 in 2", "9>0 0-1/2 in 1", "9>2 1-2/2 in 1"}));
    EXPECT_EQ(sorted_text(plan(9, {0, 3})),
              (Lines{"0>3 0-1/2 in 2", "3>0 1-2/2 in 2", "9>0 0-1/2 in 1", "9>3 1-2/2 in 1"}));
    // An odd die without its even peer leads itself.
    EXPECT_EQ(sorted_text(plan(9, {1, 3})),
              (Lines{"1>3 0-1/2 in 2", "3>1 1-2/2 in 2", "9>1 0-1/2 in 1", "9>3 1-2/2 in 1"}));
    EXPECT_TRUE(plan(9, {5}).empty()); // directly
}

// With turns an odd source has the odd dies as leaders; a die that is alone leads as before.
TEST(ScatterPlan, LeadersByTurns)
{
    EXPECT_EQ(sorted_text(plan(9, {0, 1}, mi250_links(), true)),
              (Lines{"1>0 0-1/1 in 2", "9>1 0-1/1 in 1"}));
    for (const std::vector<Rank> &destinations :
         {std::vector<Rank>{0, 3}, std::vector<Rank>{0, 1, 2, 3}}) {
        EXPECT_EQ(sorted_text(plan(8, destinations, mi250_links(), true)),
                  sorted_text(plan(8, destinations)));
    }
    EXPECT_EQ(sorted_text(plan(9, {0, 3}, mi250_links(), true)), sorted_text(plan(9, {0, 3})));
}

// Properties of every plan: each destination gets the whole block, each byte once, from ranks that
// already have it. No byte enters another node more than once, nor enters more than once a package
// that does not have all its dies among the destinations.
void expect_right(Rank source, const std::vector<Rank> &destinations, const DieLinks &links,
                  std::size_t leaders = kLeaders, bool by_turns = true)
{
    std::vector<ScatterPlace> places;
    std::map<std::int32_t, int> wanted; // destinations by node
    for (const Rank rank : destinations) {
        places.push_back(place_of(rank, links));
        ++wanted[rank / kDies];
    }
    const auto transfers = plan_scatter(place_of(source, links), places, links, leaders, by_turns);
    std::map<Rank, std::vector<ScatterTransfer>> got;
    std::map<std::int32_t, std::vector<ScatterTransfer>> entered; // from the source, by node
    for (const ScatterTransfer &transfer : transfers) {
        ASSERT_LT(transfer.first, transfer.last);
        ASSERT_LE(transfer.last, transfer.of);
        ASSERT_EQ(transfer.from == source, transfer.phase == kGather) << text_of(transfer);
        ASSERT_TRUE(std::count(destinations.begin(), destinations.end(), transfer.to) == 1);
        if (transfer.from != source) { // the rank has the part, from an earlier phase
            ASSERT_EQ(transfer.from / kDies, transfer.to / kDies);
            const auto &held = got[transfer.from];
            ASSERT_TRUE(std::any_of(transfers.begin(), transfers.end(),
                                    [&](const ScatterTransfer &before) {
                                        return before.to == transfer.from
                                               && before.phase < transfer.phase
                                               && before.first == transfer.first
                                               && before.of == transfer.of;
                                    }))
                << text_of(transfer) << " of " << held.size();
        } else if (transfer.to / kDies != source / kDies) {
            entered[transfer.to / kDies].push_back(transfer);
        }
        got[transfer.to].push_back(transfer);
    }
    const auto expect_whole = [](std::vector<ScatterTransfer> parts, const std::string &where) {
        std::sort(parts.begin(), parts.end(),
                  [](const ScatterTransfer &a, const ScatterTransfer &b) {
                      return a.first * b.of < b.first * a.of;
                  });
        std::uint32_t end = 0;
        for (const ScatterTransfer &part : parts) {
            ASSERT_EQ(end * part.of, static_cast<std::uint32_t>(part.first) * parts[0].of) << where;
            ASSERT_EQ(part.of, parts[0].of) << where;
            end = part.last;
        }
        ASSERT_EQ(end, parts[0].of) << where;
    };
    for (const auto &[rank, parts] : got) {
        expect_whole(parts, "rank " + std::to_string(rank));
    }
    for (const auto &[node, parts] : entered) {
        expect_whole(parts, "node " + std::to_string(node));
        EXPECT_LE(parts.size(), leaders);
    }
    for (const auto &[node, count] : wanted) {
        if (node != source / kDies && count > 1) {
            EXPECT_EQ(entered.count(node), 1U) << "node " << node;
        }
    }
}

TEST(ScatterPlan, EverySetOfDestinationsOnOneNode)
{
    int cases = 0;
    for (const DieLinks &links : {mi250_links(), mi250x_links()}) {
        for (Rank source = 0; source < kDies; ++source) {
            for (int set = 1; set < 1 << kDies && !HasFailure(); ++set) {
                if ((set >> source & 1) != 0) {
                    continue;
                }
                std::vector<Rank> destinations;
                for (Rank rank = 0; rank < kDies; ++rank) {
                    if ((set >> rank & 1) != 0) {
                        destinations.push_back(rank);
                    }
                }
                SCOPED_TRACE("source " + std::to_string(source) + " set " + std::to_string(set));
                expect_right(source, destinations, links);
                ++cases;
            }
        }
    }
    EXPECT_EQ(cases, 2 * 1016);
}

TEST(ScatterPlan, EverySetOfDestinationsOnAnotherNode)
{
    const DieLinks links = mi250x_links();
    for (Rank source = kDies; source < 2 * kDies; ++source) {
        for (int set = 1; set < 1 << kDies && !HasFailure(); ++set) {
            std::vector<Rank> destinations;
            for (Rank rank = 0; rank < kDies; ++rank) {
                if ((set >> rank & 1) != 0) {
                    destinations.push_back(rank);
                }
            }
            SCOPED_TRACE("source " + std::to_string(source) + " set " + std::to_string(set));
            for (const bool by_turns : {false, true}) {
                expect_right(source, destinations, links, kLeaders, by_turns);
            }
        }
    }
}

TEST(ScatterPlan, RandomDestinationsOnManyNodes)
{
    for (int seed = 0; seed < scaled(500) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = kDies * draw(random, 1, 16);
        const Rank source = draw(random, 0, ranks - 1);
        const double density = draw(random, 1, 100) / 100.0;
        std::vector<Rank> destinations;
        for (Rank rank = 0; rank < ranks; ++rank) {
            if (rank != source && chance(random, density)) {
                destinations.push_back(rank);
            }
        }
        expect_right(source, destinations, chance(random, 0.5) ? mi250_links() : mi250x_links(),
                     static_cast<std::size_t>(draw(random, 1, 9)), chance(random, 0.5));
    }
}

} // namespace
} // namespace nbrhood::test
