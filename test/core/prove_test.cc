// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The proof can fail: it reports correct patterns that are broken in every way.
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace nbrhood::test {
namespace {

const IsLarge kNone = [](const Edge &) { return false; };
const IsLarge kAll = [](const Edge &) { return true; };

bool mentions(const std::vector<std::string> &faults, const std::string &words)
{
    return std::any_of(faults.begin(), faults.end(), [&](const std::string &fault) {
        return fault.find(words) != std::string::npos;
    });
}

// A ring of four ranks with a self edge and a slot without a rank, direct.
class ProveDirect : public testing::Test {
protected:
    ProveDirect()
    {
        Lists lists(5); // rank 4 has no edges
        for (Rank rank = 0; rank < 4; ++rank) {
            lists.add(rank, (rank + 1) % 4);
            lists.add(rank, (rank + 1) % 4);
        }
        lists.add(2, 2);
        lists.sources[1].push_back(kNoRank);
        graph = match(lists);
        patterns = direct_patterns(graph, BlockKind::one_per_edge);
    }

    void expect(const char *words)
    {
        const auto faults = prove(patterns, graph, kNone);
        EXPECT_TRUE(mentions(faults, words)) << joined(faults);
    }

    Operation &find(Rank rank, OperationKind kind)
    {
        auto &all = patterns[static_cast<std::size_t>(rank)].operations;
        return *std::find_if(all.begin(), all.end(),
                             [&](const Operation &one) { return one.kind == kind; });
    }

    void drop(Rank rank, OperationKind kind)
    {
        auto &all = patterns[static_cast<std::size_t>(rank)].operations;
        all.erase(all.begin() + (&find(rank, kind) - all.data()));
    }

    Graph graph;
    std::vector<Pattern> patterns;
};

TEST_F(ProveDirect, CorrectPatternsHaveNoFaults)
{
    EXPECT_TRUE(prove(patterns, graph, kNone).empty());
    EXPECT_TRUE(prove(patterns, graph, kAll).empty());
}

TEST_F(ProveDirect, DroppedReceive)
{
    drop(1, OperationKind::receive);
    expect("is never received");
}

TEST_F(ProveDirect, DroppedSend)
{
    drop(1, OperationKind::send);
    expect("waits forever");
}

TEST_F(ProveDirect, DroppedCopyLeavesASlotEmpty)
{
    drop(2, OperationKind::copy);
    expect("got 0 parts");
}

TEST_F(ProveDirect, DroppedSendAndReceiveLeaveASlotEmpty)
{
    patterns[0].operations.erase(
        std::remove_if(patterns[0].operations.begin(), patterns[0].operations.end(),
                       [](const Operation &one) { return one.kind == OperationKind::send; }),
        patterns[0].operations.end());
    patterns[1].operations.erase(
        std::remove_if(patterns[1].operations.begin(), patterns[1].operations.end(),
                       [](const Operation &one) { return one.kind == OperationKind::receive; }),
        patterns[1].operations.end());
    expect("got 0 parts");
}

TEST_F(ProveDirect, SwappedBlocks)
{
    std::vector<Operation *> sends;
    for (Operation &operation : patterns[0].operations) {
        if (operation.kind == OperationKind::send) {
            sends.push_back(&operation);
        }
    }
    ASSERT_EQ(sends.size(), 2U);
    std::swap(sends[0]->slices, sends[1]->slices);
    expect("holds block");
}

TEST_F(ProveDirect, WrongKey)
{
    find(0, OperationKind::send).key = 7;
    expect("expects key");
}

TEST_F(ProveDirect, WrongPeer)
{
    find(0, OperationKind::send).peer = 3;
    expect("waits forever");
}

TEST_F(ProveDirect, DuplicateReceive)
{
    const Operation again = find(1, OperationKind::receive);
    patterns[1].operations.push_back(again);
    expect("waits forever");
}

TEST_F(ProveDirect, ASlotFilledTwice)
{
    const Operation send = find(0, OperationKind::send);
    const Operation receive = find(1, OperationKind::receive);
    patterns[0].operations.push_back(send);
    patterns[1].operations.push_back(receive);
    auto &back = patterns[1].operations.back();
    patterns[0].operations.back().key = back.key = 9;
    expect("twice");
}

TEST_F(ProveDirect, UnlikeNumbersOfSlices)
{
    find(0, OperationKind::send).slices.push_back(Slice{Space::send, 1});
    expect("slices from rank");
}

TEST_F(ProveDirect, ARankWithoutEdgesTakesPart)
{
    patterns[4].operations.push_back(Operation{});
    patterns[4].operations[0].peer = 0;
    patterns[4].operations[0].slices.push_back(Slice{});
    expect("has no edges but takes part");
}

TEST_F(ProveDirect, ASlotWithoutARankIsFilled)
{
    const auto nowhere = static_cast<std::uint32_t>(graph[1].in.size() - 1);
    patterns[0].operations.push_back(
        Operation{OperationKind::send, Carry::direct, kInter, 1, 0, {Slice{}}});
    patterns[1].operations.push_back(Operation{
        OperationKind::receive, Carry::direct, kInter, 0, 0, {Slice{Space::receive, nowhere}}});
    expect("which belongs to no rank");
}

TEST_F(ProveDirect, ASlotThatDoesNotExistIsFilled)
{
    patterns[0].operations.push_back(
        Operation{OperationKind::send, Carry::direct, kInter, 1, 0, {Slice{}}});
    patterns[1].operations.push_back(Operation{
        OperationKind::receive, Carry::direct, kInter, 0, 0, {Slice{Space::receive, 99}}});
    EXPECT_FALSE(prove(patterns, graph, kNone).empty());
}

TEST_F(ProveDirect, ReceivingIntoTheSendBuffer)
{
    find(1, OperationKind::receive).slices[0].space = Space::send;
    expect("into its send buffer");
}

TEST_F(ProveDirect, HalfABlock)
{
    find(0, OperationKind::send).slices[0] = interval(Space::send, 0, 0, 1, 2);
    find(1, OperationKind::receive).slices[0].of = 2;
    expect("got 1 parts");
}

TEST_F(ProveDirect, EdgesWithoutPartners)
{
    graph[0].out.pop_back();
    graph[0].out.pop_back();
    expect("no matching out-edge");
}

TEST_F(ProveDirect, UnlikeNumbersOfPatternsAndRanks)
{
    patterns.pop_back();
    expect("differ");
}

// A relay that forwards to a relay that forwards to the first one.
TEST(Prove, ReportsCyclesOfStagingWaits)
{
    Lists lists(2);
    lists.add(0, 1);
    lists.add(1, 0);
    const Graph graph = match(lists);
    std::vector<Pattern> patterns;
    for (const char *peer : {"1", "0"}) {
        patterns.push_back(from_text(std::string("pattern rank ") + (*peer == '1' ? "0" : "1")
                                     + " one_per_edge staging 1\n"
                                       "receive combined 1 peer "
                                     + peer
                                     + " key 0 : t0\n"
                                       "send combined 1 peer "
                                     + peer + " key 0 : t0\n"));
    }
    const auto faults = prove(patterns, graph, kNone);
    EXPECT_TRUE(mentions(faults, "rank 0 waits forever")) << joined(faults);
    EXPECT_TRUE(mentions(faults, "rank 1 waits forever")) << joined(faults);
}

TEST(Prove, ASlotMayBeSentOnOnceItIsFilled)
{
    Lists lists(3);
    lists.add(0, 1);
    lists.add(0, 2);
    const Graph graph = match(lists);
    std::vector<Pattern> patterns = direct_patterns(graph, BlockKind::one_per_rank);
    ASSERT_TRUE(prove(patterns, graph, kNone).empty());
    patterns[0].operations.pop_back();
    patterns[1].operations.push_back(
        Operation{OperationKind::send, Carry::direct, kLocal, 2, 0, {Slice{Space::receive, 0}}});
    patterns[2].operations[0].peer = 1;
    EXPECT_TRUE(prove(patterns, graph, kNone).empty()) << joined(prove(patterns, graph, kNone));
    patterns[1].operations[1].slices[0].block = 1;
    EXPECT_TRUE(mentions(prove(patterns, graph, kNone), "rank 1 waits forever"));
}

TEST(Prove, PartsOfABlockCoverIt)
{
    const std::vector<std::string> whole{"r0/0-1/3 r0/1-3/3", "r0/0-2/4 r0/1-2/2", "r0"};
    const std::vector<std::string> gaps{"r0/0-1/3 r0/2-3/3", "r0/0-1/2", "r0/1-5/5"};
    const std::vector<std::string> twice{"r0/0-1/2 r0/1-3/3", "r0 r0", "r0 r0/0-1/65535"};
    Lists lists(2);
    lists.add(0, 1);
    const Graph graph = match(lists);
    const auto faults_of = [&](const std::string &slices) {
        std::string sent = slices;
        std::replace(sent.begin(), sent.end(), 'r', 's');
        return prove({from_text("pattern rank 0 one_per_edge staging 0\n"
                                "send combined 1 peer 1 key 0 : "
                                + sent),
                      from_text("pattern rank 1 one_per_edge staging 0\n"
                                "receive combined 1 peer 0 key 0 : "
                                + slices)},
                     graph, kNone);
    };
    for (const std::string &slices : whole) {
        EXPECT_TRUE(faults_of(slices).empty()) << slices << ": " << joined(faults_of(slices));
    }
    for (const std::string &slices : gaps) {
        EXPECT_TRUE(mentions(faults_of(slices), "got"))
            << slices << ": " << joined(faults_of(slices));
    }
    for (const std::string &slices : twice) {
        EXPECT_TRUE(mentions(faults_of(slices), "twice"))
            << slices << ": " << joined(faults_of(slices));
    }
}

TEST(Prove, BothEndsNameTheSamePart)
{
    Lists lists(2);
    lists.add(0, 1);
    const auto faults = prove({from_text("pattern rank 0 one_per_edge staging 0\n"
                                         "send combined 1 peer 1 key 0 : s0/0-1/2 s0/1-2/2"),
                               from_text("pattern rank 1 one_per_edge staging 0\n"
                                         "receive combined 1 peer 0 key 0 : r0/1-2/2 r0/0-1/2")},
                              match(lists), kNone);
    EXPECT_TRUE(mentions(faults, "another part of a block")) << joined(faults);
}

TEST(Prove, APlaceHoldsOneBlock)
{
    Lists lists(2);
    lists.add(0, 1);
    lists.add(0, 1);
    const auto faults = prove({from_text("pattern rank 0 one_per_edge staging 0\n"
                                         "send combined 1 peer 1 key 0 : s0/0-1/2 s1/1-2/2"),
                               from_text("pattern rank 1 one_per_edge staging 0\n"
                                         "receive combined 1 peer 0 key 0 : r0/0-1/2 r0/1-2/2")},
                              match(lists), kNone);
    EXPECT_TRUE(mentions(faults, "with parts of two blocks")) << joined(faults);
}

// Every single change to an aggregated pattern is noticed. Changes without effect (equal slices
// change places) are left out.
TEST(Prove, NoticesEveryChangeToAggregatedPatterns)
{
    int cases = 0;
    for (int seed = 0; seed < scaled(150); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 4, 12);
        Construction built(match(dense_lists(random, ranks, 0.5)), make_machine({3, ranks - 3}),
                           random_tuning(random));
        const std::vector<Pattern> good = built.run();
        ASSERT_TRUE(prove(good, built.graph(), kNone).empty());
        for (int change = 0; change < 20; ++change) {
            std::vector<Pattern> bad = good;
            auto &operations = bad[random() % bad.size()].operations;
            if (operations.empty()) {
                continue;
            }
            const auto at = static_cast<std::ptrdiff_t>(random() % operations.size());
            Operation &one = operations[static_cast<std::size_t>(at)];
            if (one.carry != Carry::combined) {
                continue; // large operations do not take place here
            }
            auto &slices = one.slices;
            std::string what;
            switch (change % 6) {
            case 0:
                operations.erase(operations.begin() + at);
                break;
            case 1:
                operations.push_back(one);
                break;
            case 2:
                ++one.key;
                break;
            case 3:
                one.phase = kLocal;
                break;
            case 4:
                slices.pop_back();
                break;
            default:
                if (slices.size() < 2) {
                    continue;
                }
                std::swap(slices[0], slices[1]);
            }
            ++cases;
            const auto faults = prove(bad, built.graph(), kNone);
            ASSERT_FALSE(faults.empty()) << "seed " << seed << ", change " << change % 6;
            ASSERT_LE(faults.size(), 20U);
        }
    }
    EXPECT_GT(cases, 3 * scaled(150));
}

} // namespace
} // namespace nbrhood::test
