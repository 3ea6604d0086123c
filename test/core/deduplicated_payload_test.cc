// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Payloads in which shared bytes appear once.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support.h"
#include "execute/deduplicated_payload.h"

namespace nbrhood::test {
namespace {

std::uint64_t address(const char *at)
{
    return reinterpret_cast<std::uintptr_t>(at);
}

TEST(DeduplicatedPayload, BytesThatBlocksShareStandOnce)
{
    const std::string x = "abcdefghij";
    DeduplicatedPayload deduplicated;
    deduplicated.clear();
    deduplicated.add(BlockSegment{address(&x[0]), &x[0], 6}); // abcdef
    deduplicated.end_block();
    deduplicated.add(BlockSegment{address(&x[7]), &x[7], 2}); // hi
    deduplicated.add(BlockSegment{address(&x[2]), &x[2], 3}); // cde
    deduplicated.end_block();
    deduplicated.end_block(); // an empty one
    deduplicated.lay_out();
    EXPECT_EQ(deduplicated.block_bytes(), 11U);
    EXPECT_EQ(deduplicated.bytes(), 8U);
    std::string payload(deduplicated.bytes(), '?');
    deduplicated.write(&payload[0]);
    EXPECT_EQ(payload, "abcdefhi");
    std::vector<nbrhood::PayloadSegment> payload_segments;
    deduplicated.payload_segments(1, payload_segments);
    ASSERT_EQ(payload_segments.size(), 2U);
    EXPECT_EQ(payload.substr(payload_segments[0].at, payload_segments[0].bytes), "hi");
    EXPECT_EQ(payload.substr(payload_segments[1].at, payload_segments[1].bytes), "cde");
    deduplicated.payload_segments(2, payload_segments);
    EXPECT_TRUE(payload_segments.empty());
}

TEST(DeduplicatedPayload, EqualPositionsShareWhateverTheirAddresses)
{
    const std::string first = "abcd", second = "abcd";
    DeduplicatedPayload deduplicated;
    deduplicated.clear();
    deduplicated.add(BlockSegment{kIndexedPositions + 8, first.data(), 4});
    deduplicated.end_block();
    deduplicated.add(BlockSegment{kIndexedPositions + 10, second.data() + 2, 2});
    deduplicated.end_block();
    deduplicated.lay_out();
    EXPECT_EQ(deduplicated.bytes(), 4U);
}

// Random segments of a text: the table must spell out each block, and no byte may appear twice.
TEST(DeduplicatedPayload, TablesSpellTheBlocks)
{
    Random random(5);
    for (int trial = 0; trial < scaled(2000) && !testing::Test::HasFailure(); ++trial) {
        std::string text(static_cast<std::size_t>(draw(random, 1, 200)), ' ');
        std::vector<char> used(text.size(), 0);
        for (char &letter : text) {
            letter = static_cast<char>(draw(random, 'a', 'z'));
        }
        std::vector<std::string> blocks(static_cast<std::size_t>(draw(random, 1, 12)));
        DeduplicatedPayload deduplicated;
        deduplicated.clear();
        for (std::string &block : blocks) {
            for (int segments = draw(random, 0, 5); segments > 0; --segments) {
                const auto at =
                    static_cast<std::size_t>(draw(random, 0, static_cast<int>(text.size()) - 1));
                const auto bytes =
                    static_cast<std::size_t>(draw(random, 0, static_cast<int>(text.size() - at)));
                deduplicated.add(BlockSegment{address(&text[at]), &text[at], bytes});
                block += text.substr(at, bytes);
                std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(at), bytes, 1);
            }
            deduplicated.end_block();
        }
        deduplicated.lay_out();
        EXPECT_EQ(deduplicated.bytes(), static_cast<std::size_t>(std::count(
                                            used.begin(), used.end(), static_cast<char>(1))));
        std::string table(deduplicated.table_bytes(), '?'), payload(deduplicated.bytes(), '?');
        deduplicated.write_table(&table[0]);
        deduplicated.write(&payload[0]);
        std::size_t at = 0;
        std::vector<nbrhood::PayloadSegment> payload_segments;
        for (const std::string &block : blocks) {
            ASSERT_TRUE(read_segments(table.data(), table.size(), at, block.size(), payload.size(),
                                      payload_segments));
            std::string spelled;
            for (const nbrhood::PayloadSegment &payload_segment : payload_segments) {
                spelled += payload.substr(payload_segment.at, payload_segment.bytes);
            }
            EXPECT_EQ(spelled, block);
        }
        EXPECT_EQ(at, table.size());
    }
}

TEST(DeduplicatedPayload, TablesThatCannotBeRightAreRefused)
{
    std::vector<nbrhood::PayloadSegment> payload_segments;
    const auto refused = [&](std::vector<std::uint64_t> words, std::size_t bytes,
                             std::size_t payload) {
        std::size_t at = 0;
        return !read_segments(reinterpret_cast<const char *>(words.data()),
                              words.size() * sizeof(std::uint64_t), at, bytes, payload,
                              payload_segments);
    };
    EXPECT_FALSE(refused({1, 2, 4}, 4, 6));
    EXPECT_TRUE(refused({}, 0, 0));
    EXPECT_TRUE(refused({1, 2}, 4, 6));                    // ends within a segment
    EXPECT_TRUE(refused({~std::uint64_t{0}, 2, 4}, 4, 6)); // more segments than there is room for
    EXPECT_TRUE(refused({1, 3, 4}, 4, 6));                 // beyond the payload
    EXPECT_TRUE(refused({1, ~std::uint64_t{0}, 4}, 4, 6));
    EXPECT_TRUE(refused({1, 2, 4}, 5, 6)); // not the block's size
}

} // namespace
} // namespace nbrhood::test
