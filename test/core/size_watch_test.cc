// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The question whether blocks still have the size for which was decided.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "component_builds.h"
#include "build/size_watch.h"
#include "pattern/message_words.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(SizeWatch, FactorOfFour)
{
    const auto other = [](std::uint64_t decided, std::uint64_t now) {
        return has_other_size({10, 10 * decided}, {7, 7 * now});
    };
    EXPECT_FALSE(other(4096, 4096));
    EXPECT_FALSE(other(4096, 16383));
    EXPECT_TRUE(other(4096, 16384));
    EXPECT_FALSE(other(4096, 1025));
    EXPECT_TRUE(other(4096, 1024));
    EXPECT_FALSE(other(8, 255)) << "small blocks cost the same";
    EXPECT_TRUE(other(8, 256));
    EXPECT_FALSE(other(64, 1));
    EXPECT_FALSE(other(4096, 0)) << "blocks without bytes say nothing";
    EXPECT_FALSE(has_other_size({0, 0}, {7, 700000}));
    EXPECT_FALSE(has_other_size({10, 40960}, {0, 0}));
}

// All ranks of a component ask several times, at random times, and get the same answers, which
// follow from the bytes that all of them sent.
TEST(SizeWatch, ComponentsAgree)
{
    Random random(11);
    std::array<int, 2> answers{};
    for (int round = 0; round < scaled(100); ++round) {
        SCOPED_TRACE(round);
        const int ranks = draw(random, 2, 40);
        const Graph graph = random_graph(random, ranks);
        const std::vector<Rank> component = components_of(graph);
        Builds builds(graph, random_machine(random, ranks),
                      std::vector<Settings>(static_cast<std::size_t>(ranks),
                                            settings_of(find_choice("aggregated"))),
                      random);
        builds.run(random);
        std::vector<std::optional<SizeWatch>> watches(static_cast<std::size_t>(ranks));
        std::vector<Rank> watching;
        for (const auto &rank : builds.ranks) {
            if (rank->build.first_served()) {
                watches[static_cast<std::size_t>(rank->rank)].emplace(rank->build.tree(),
                                                                      SentBlocks{2, 2000});
                watching.push_back(rank->rank);
            }
        }
        constexpr int kQuestions = 4;
        // In some components the blocks of some ranks grow with the third question. Every round has
        // component 0, and few have others.
        const auto grows = [&](Rank rank) {
            return (component[static_cast<std::size_t>(rank)] + round) % 2 == 0;
        };
        const auto sent = [&](Rank rank, int question) {
            // Half of the ranks send small blocks still, and learn from the others.
            const bool grow = grows(rank) && question >= 2 && rank % 2 == 1;
            return SentBlocks{5, grow ? 100000U : 5000U};
        };
        std::map<Rank, SentBlocks> total;
        for (const Rank rank : watching) {
            const SentBlocks own = sent(rank, 2);
            SentBlocks &all = total[component[static_cast<std::size_t>(rank)]];
            all.blocks += own.blocks;
            all.bytes += own.bytes;
        }
        std::vector<int> asked(static_cast<std::size_t>(ranks), 0);
        const auto may_ask = [&](Rank rank) {
            const auto i = static_cast<std::size_t>(rank);
            return asked[i] < kQuestions && !watches[i]->runs();
        };
        const auto ask = [&](Rank rank) {
            const auto i = static_cast<std::size_t>(rank);
            if (asked[i] > 0) {
                const bool grown = grows(rank) && asked[i] > 2;
                EXPECT_EQ(watches[i]->changed(),
                          grown && has_other_size({2, 2000}, total[component[i]]));
            }
            watches[i]->begin(sent(rank, asked[i]++));
        };
        for (bool more = true; more;) {
            more = false;
            std::shuffle(watching.begin(), watching.end(), random);
            for (const Rank rank : watching) {
                if (may_ask(rank) && chance(random, 0.5)) {
                    ask(rank);
                }
                more = more || asked[static_cast<std::size_t>(rank)] < kQuestions;
            }
            while (const auto message = builds.network.take()) {
                watches[static_cast<std::size_t>(message->to)]->arrived(message->from,
                                                                        *message->words);
            }
        }
        EXPECT_TRUE(builds.network.is_empty());
        for (const Rank rank : watching) {
            const SizeWatch &watch = *watches[static_cast<std::size_t>(rank)];
            EXPECT_FALSE(watch.runs());
            ++answers[watch.changed() ? 1 : 0];
        }
    }
    EXPECT_GT(answers[0], 0);
    EXPECT_GT(answers[1], 0);
}

TEST(SizeWatch, RefusesOtherMessages)
{
    Random random(12);
    Builds builds(match(dense_lists(random, 2, 1)), make_machine({1, 1}),
                  std::vector<Settings>(2, settings_of(find_choice("aggregated"))), random);
    builds.run(random);
    for (const auto &rank : builds.ranks) {
        const Tree &tree = rank->build.tree();
        if (tree.children().empty()) {
            continue;
        }
        const Rank child = tree.children().front();
        WordWriter three;
        WordWriter bytes_only;
        for (int i = 0; i < 3; ++i) {
            three.put_long(1);
        }
        bytes_only.put_long(0);
        bytes_only.put_long(8);
        SizeWatch first(tree, {1, 8});
        first.begin({0, 0});
        EXPECT_THROW(first.arrived(child, three.take()), BadMessage);
        SizeWatch second(tree, {1, 8});
        second.begin({0, 0});
        EXPECT_THROW(second.arrived(child, bytes_only.take()), BadMessage);
    }
}

} // namespace
} // namespace nbrhood::test
