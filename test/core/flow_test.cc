// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of a call, for patterns written by hand; flow_walk_test.cc has those of builders.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "analysis/flow.h"
#include "support.h"

namespace nbrhood::test {
namespace {

std::vector<Pattern> read(std::initializer_list<const char *> texts)
{
    std::vector<Pattern> patterns;
    for (const char *text : texts) {
        patterns.push_back(from_text(text));
    }
    return patterns;
}

// Block b of rank r has 100 * r + b + 10 bytes.
std::uint64_t numbered_bytes(Rank rank, std::uint32_t block)
{
    return 100 * static_cast<std::uint64_t>(rank) + block + 10;
}

std::string text_of(const FlowMessage &m)
{
    return std::to_string(m.source) + ">" + std::to_string(m.destination) + " phase "
           + std::to_string(m.phase) + " bytes " + std::to_string(m.bytes) + " blocks "
           + std::to_string(m.blocks) + " gathered " + std::to_string(m.gathered) + " scattered "
           + std::to_string(m.scattered) + " waits " + std::to_string(m.waits_for) + " copied "
           + std::to_string(m.copied_bytes);
}

std::vector<std::string> texts_of(const Flow &flow)
{
    std::vector<std::string> texts;
    for (const FlowMessage &message : flow.messages()) {
        texts.push_back(text_of(message));
    }
    return texts;
}

std::vector<std::uint32_t> feeds_of(const Flow &flow, std::uint32_t message)
{
    return {flow.feeds(message).begin(), flow.feeds(message).end()};
}

// Rank 0 gathers two blocks (10 and 11 bytes) on rank 1, which sends them with one of its own (110)
// to rank 2; rank 2 keeps the second block and passes the others on to rank 3. Larger blocks go
// directly.
const std::initializer_list<const char *> kRelayed{"pattern rank 0 one_per_edge staging 0\n"
                                                   "send combined 1 peer 1 key 0 : s0 s1\n"
                                                   "send direct_if_large 4 peer 3 key 0 : s0\n"
                                                   "send direct_if_large 4 peer 2 key 0 : s1\n",
                                                   "pattern rank 1 one_per_edge staging 2\n"
                                                   "receive combined 1 peer 0 key 0 : t0 t1\n"
                                                   "send combined 2 peer 2 key 0 : t0 t1 s0\n"
                                                   "send direct_if_large 4 peer 3 key 0 : s0\n",
                                                   "pattern rank 2 one_per_edge staging 3\n"
                                                   "receive combined 2 peer 1 key 0 : t0 t1 t2\n"
                                                   "receive direct_if_large 4 peer 0 key 0 : r0\n"
                                                   "send combined 3 peer 3 key 0 : t0 t2\n"
                                                   "copy direct 3 peer -1 key 0 : t1 r0\n",
                                                   "pattern rank 3 one_per_edge staging 0\n"
                                                   "receive combined 3 peer 2 key 0 : r0 r1\n"
                                                   "receive direct_if_large 4 peer 0 key 0 : r0\n"
                                                   "receive direct_if_large 4 peer 1 key 0 : r1\n"};

TEST(Flow, PacksSmallBlocks)
{
    const Flow flow(read(kRelayed), numbered_bytes, FlowLimits{200, 200});
    EXPECT_EQ(flow.ranks(), 4);
    EXPECT_EQ(texts_of(flow),
              (std::vector<std::string>{
                  "0>1 phase 1 bytes 21 blocks 2 gathered 2 scattered 0 waits 0 copied 0",
                  "1>2 phase 2 bytes 131 blocks 3 gathered 2 scattered 0 waits 1 copied 11",
                  "2>3 phase 3 bytes 120 blocks 2 gathered 2 scattered 2 waits 1 copied 0",
              }));
    EXPECT_EQ(feeds_of(flow, 0), std::vector<std::uint32_t>{1});
    EXPECT_EQ(feeds_of(flow, 1), std::vector<std::uint32_t>{2});
    EXPECT_EQ(feeds_of(flow, 2), std::vector<std::uint32_t>{});
    EXPECT_EQ(flow.depth(), 3);
    const std::vector<std::uint64_t> staging{0, 21, 131, 0};
    for (Rank rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(flow.first_of(rank), static_cast<std::uint32_t>(rank));
        EXPECT_EQ(flow.staging_bytes(rank), staging[static_cast<std::size_t>(rank)]);
        EXPECT_EQ(flow.self_bytes(rank), 0U);
    }
    EXPECT_EQ(flow.first_of(4), 3U);
}

TEST(Flow, BlocksAboveThePackingThresholdAreMessagesOfTheirOwn)
{
    // P lies between the two blocks of rank 0: the second and that of rank 1 are unpacked.
    const Flow flow(read(kRelayed), numbered_bytes, FlowLimits{200, 10});
    EXPECT_EQ(texts_of(flow),
              (std::vector<std::string>{
                  "0>1 phase 1 bytes 10 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "0>1 phase 1 bytes 11 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "1>2 phase 2 bytes 10 blocks 1 gathered 0 scattered 0 waits 2 copied 11",
                  "1>2 phase 2 bytes 11 blocks 1 gathered 0 scattered 0 waits 2 copied 0",
                  "1>2 phase 2 bytes 110 blocks 1 gathered 0 scattered 0 waits 2 copied 0",
                  "2>3 phase 3 bytes 10 blocks 1 gathered 0 scattered 0 waits 3 copied 0",
                  "2>3 phase 3 bytes 110 blocks 1 gathered 0 scattered 0 waits 3 copied 0",
              }));
    EXPECT_EQ(feeds_of(flow, 0), (std::vector<std::uint32_t>{2, 3, 4}));
    EXPECT_EQ(feeds_of(flow, 1), (std::vector<std::uint32_t>{2, 3, 4}));
    EXPECT_EQ(feeds_of(flow, 4), (std::vector<std::uint32_t>{5, 6}));
    EXPECT_EQ(flow.depth(), 3);
    EXPECT_EQ(flow.staging_bytes(2), 131U);
}

TEST(Flow, BlocksAboveTheCombiningThresholdGoDirectly)
{
    // T lies between the blocks of rank 0 and that of rank 1.
    const Flow flow(read(kRelayed), numbered_bytes, FlowLimits{100, 200});
    EXPECT_EQ(texts_of(flow),
              (std::vector<std::string>{
                  "0>1 phase 1 bytes 21 blocks 2 gathered 2 scattered 0 waits 0 copied 0",
                  "1>2 phase 2 bytes 21 blocks 2 gathered 0 scattered 0 waits 1 copied 11",
                  "1>3 phase 4 bytes 110 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "2>3 phase 3 bytes 10 blocks 1 gathered 0 scattered 0 waits 1 copied 0",
              }));
    EXPECT_EQ(flow.staging_bytes(2), 21U);
    // All blocks are large: the relays have nothing to do.
    const Flow direct(read(kRelayed), numbered_bytes, FlowLimits{9, 200});
    EXPECT_EQ(texts_of(direct),
              (std::vector<std::string>{
                  "0>3 phase 4 bytes 10 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "0>2 phase 4 bytes 11 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "1>3 phase 4 bytes 110 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
              }));
    EXPECT_EQ(direct.depth(), 1);
    EXPECT_EQ(direct.staging_bytes(1) + direct.staging_bytes(2), 0U);
}

TEST(Flow, EmptyRelayedMessagesAreNotSent)
{
    // Only rank 1 has bytes.
    const auto bytes = [](Rank rank, std::uint32_t) -> std::uint64_t { return rank == 1 ? 8 : 0; };
    const Flow flow(read(kRelayed), bytes, FlowLimits{200, 200});
    EXPECT_EQ(texts_of(flow),
              (std::vector<std::string>{
                  "1>2 phase 2 bytes 8 blocks 3 gathered 0 scattered 0 waits 0 copied 0",
                  "2>3 phase 3 bytes 8 blocks 2 gathered 0 scattered 0 waits 1 copied 0",
              }));
    EXPECT_EQ(flow.first_of(1), 0U);
    EXPECT_EQ(flow.first_of(2), 1U);
    EXPECT_EQ(flow.depth(), 2);
    const Flow nothing(
        read(kRelayed), [](Rank, std::uint32_t) { return std::uint64_t{0}; }, FlowLimits{200, 200});
    EXPECT_TRUE(nothing.messages().empty());
    EXPECT_EQ(nothing.depth(), 0);
}

TEST(Flow, MessagesOfEdgesAreSentEvenEmpty)
{
    const auto patterns = read({"pattern rank 0 one_per_edge staging 0\n"
                                "send direct 0 peer 1 key 0 : s0\n"
                                "send direct 0 peer 1 key 1 : s1\n"
                                "copy direct 0 peer 0 key 0 : s2 r0\n"
                                "copy direct 0 peer 0 key 1 : s0 r1\n",
                                "pattern rank 1 one_per_edge staging 0\n"
                                "receive direct 0 peer 0 key 0 : r1\n"
                                "receive direct 0 peer 0 key 1 : r0\n"});
    const auto bytes = [](Rank, std::uint32_t block) -> std::uint64_t { return 7 * block; };
    const Flow flow(patterns, bytes, FlowLimits{1, 1});
    EXPECT_EQ(texts_of(flow),
              (std::vector<std::string>{
                  "0>1 phase 0 bytes 0 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "0>1 phase 0 bytes 7 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
              }));
    EXPECT_EQ(flow.self_bytes(0), 14U) << "self copies, whatever the combining threshold";
    EXPECT_EQ(flow.self_bytes(1), 0U);
    EXPECT_EQ(flow.depth(), 1);
}

TEST(Flow, SlicesAreRoundedToWholeBytes)
{
    const auto patterns = read({"pattern rank 0 one_per_edge staging 0\n"
                                "send combined 1 peer 1 key 0 : s0/0-1/3\n"
                                "send combined 1 peer 2 key 0 : s0/1-2/3 s0/2-3/3\n",
                                "pattern rank 1 one_per_edge staging 1\n"
                                "receive combined 1 peer 0 key 0 : t0/0-1/3\n"
                                "send combined 2 peer 2 key 0 : t0/0-1/3\n",
                                "pattern rank 2 one_per_edge staging 0\n"
                                "receive combined 1 peer 0 key 0 : r0/1-2/3 r0/2-3/3\n"
                                "receive combined 2 peer 1 key 0 : r0/0-1/3\n"});
    const Flow flow(
        patterns, [](Rank, std::uint32_t) { return std::uint64_t{11}; }, FlowLimits{100, 100});
    EXPECT_EQ(texts_of(flow),
              (std::vector<std::string>{
                  "0>1 phase 1 bytes 3 blocks 1 gathered 0 scattered 0 waits 0 copied 0",
                  "0>2 phase 1 bytes 8 blocks 2 gathered 0 scattered 0 waits 0 copied 0",
                  "1>2 phase 2 bytes 3 blocks 1 gathered 0 scattered 0 waits 1 copied 0",
              }));
}

TEST(Flow, NoRanksHaveNoMessages)
{
    const Flow flow({}, numbered_bytes, FlowLimits{});
    EXPECT_EQ(flow.ranks(), 0);
    EXPECT_TRUE(flow.messages().empty());
    EXPECT_EQ(flow.depth(), 0);
}

// The message of the exception, or "" when there is none.
std::string failure(const std::vector<Pattern> &patterns)
{
    try {
        const Flow flow(patterns, numbered_bytes, FlowLimits{1000, 1000});
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

// Two ranks with these operations.
std::string failure(const std::string &first, const std::string &second)
{
    return failure({from_text("pattern rank 0 one_per_edge staging 4\n" + first),
                    from_text("pattern rank 1 one_per_edge staging 4\n" + second)});
}

TEST(Flow, NamesWhatCannotRun)
{
    const struct {
        const char *first, *second, *message;
    } cases[] = {
        {"send direct 0 peer 1 key 0 : s0", "receive direct 0 peer 0 key 0 : r0", ""},
        {"send direct 0 peer 2 key 0 : s0", "",
         "rank 0 has a message with rank 2, which does not exist"},
        {"", "receive direct 0 peer -1 key 0 : r0",
         "rank 1 has a message with rank -1, which does not exist"},
        {"send direct 3 peer 1 key 0 : s0", "",
         "rank 0 sends a message in phase 3 that rank 1 does not receive"},
        {"send direct 3 peer 1 key 0 : s0", "receive direct 0 peer 0 key 0 : r0",
         "rank 1 waits for a message in phase 0, which rank 0 does not send"},
        {"send direct 0 peer 1 key 0 : s0",
         "receive direct 0 peer 0 key 0 : r0\nreceive direct 0 peer 0 key 0 : r1",
         "rank 1 waits for a message in phase 0, which rank 0 does not send"},
        {"send direct 0 peer 1 key 0 : s0\nsend direct 0 peer 1 key 0 : s0",
         "receive direct 0 peer 0 key 0 : r0",
         "rank 0 sends a message in phase 0 that rank 1 does not receive"},
        {"send direct 0 peer 1 key 0 : s0", "receive direct 0 peer 0 key 1 : r0",
         "rank 0 and rank 1 disagree about a message in phase 0"},
        {"send combined 1 peer 1 key 0 : s0 s1", "receive combined 1 peer 0 key 0 : r0",
         "rank 0 and rank 1 disagree about a message in phase 1"},
        {"send direct 0 peer 1 key 0 : s0", "receive direct_if_large 0 peer 0 key 0 : r0",
         "rank 0 and rank 1 disagree about a message in phase 0"},
        {"send combined 1 peer 1 key 0 : t3", "receive combined 1 peer 0 key 0 : r0",
         "rank 0 passes on block 3 of its staging, which nothing fills"},
        {"copy direct 3 peer -1 key 0 : t2 r0", "",
         "rank 0 passes on block 2 of its staging, which nothing fills"},
        {"send combined 1 peer 1 key 0 : s0/0-1/2",
         "receive combined 1 peer 0 key 0 : t0/0-1/2\n"
         "copy direct 3 peer -1 key 0 : t0/1-2/2 r0/1-2/2",
         "rank 1 passes on block 0 of its staging, which nothing fills"},
        {"send direct 0 peer 1 key 0 : r0", "receive direct 0 peer 0 key 0 : r0",
         "rank 0 passes on block 0 of its receive slots, which nothing fills"},
        {"send combined 1 peer 1 key 0 : t0\nreceive combined 1 peer 1 key 0 : t0",
         "receive combined 1 peer 0 key 0 : t0\nsend combined 1 peer 0 key 0 : t0",
         "rank 1 passes on a block that goes round in circles"},
        {"send direct_if_large 4 peer 1 key 0 : s0",
         "receive direct_if_large 4 peer 0 key 0 : t0\n"
         "copy direct 4 peer -1 key 0 : t0 r0",
         "rank 1 stages a block that only goes directly to its destination"},
        {"copy direct 0 peer 0 key 0 : s0", "", "rank 0 has a copy of 1 slices"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(failure(c.first, c.second), c.message);
    }
    std::vector<Pattern> swapped(2);
    swapped[0].rank = 1;
    EXPECT_EQ(failure(swapped), "the pattern of rank 1 stands in the place of rank 0");
}

} // namespace
} // namespace nbrhood::test
