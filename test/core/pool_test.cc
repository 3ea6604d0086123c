// Payloads in which shared bytes stand once.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "execute/pool.h"
#include "support.h"

namespace nbrhood::test {
namespace {

std::uint64_t address(const char *at)
{
    return reinterpret_cast<std::uintptr_t>(at);
}

TEST(Pool, BytesThatBlocksShareStandOnce)
{
    const std::string x = "abcdefghij";
    Pool pool;
    pool.clear();
    pool.add(Piece{address(&x[0]), &x[0], 6}); // abcdef
    pool.end_block();
    pool.add(Piece{address(&x[7]), &x[7], 2}); // hi
    pool.add(Piece{address(&x[2]), &x[2], 3}); // cde
    pool.end_block();
    pool.end_block(); // an empty one
    pool.lay_out();
    EXPECT_EQ(pool.block_bytes(), 11U);
    EXPECT_EQ(pool.bytes(), 8U);
    std::string payload(pool.bytes(), '?');
    pool.write(&payload[0]);
    EXPECT_EQ(payload, "abcdefhi");
    std::vector<nbrhood::Run> runs;
    pool.runs(1, runs);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(payload.substr(runs[0].at, runs[0].bytes), "hi");
    EXPECT_EQ(payload.substr(runs[1].at, runs[1].bytes), "cde");
    pool.runs(2, runs);
    EXPECT_TRUE(runs.empty());
}

TEST(Pool, EqualPositionsShareWhateverTheirAddresses)
{
    const std::string first = "abcd", second = "abcd";
    Pool pool;
    pool.clear();
    pool.add(Piece{kIndexedPositions + 8, first.data(), 4});
    pool.end_block();
    pool.add(Piece{kIndexedPositions + 10, second.data() + 2, 2});
    pool.end_block();
    pool.lay_out();
    EXPECT_EQ(pool.bytes(), 4U);
}

// Random pieces of a text: what the table says must spell each block, and nothing stands twice.
TEST(Pool, TablesSpellTheBlocks)
{
    Random random(5);
    for (int trial = 0; trial < scaled(2000) && !testing::Test::HasFailure(); ++trial) {
        std::string text(static_cast<std::size_t>(draw(random, 1, 200)), ' ');
        std::vector<char> used(text.size(), 0);
        for (char &letter : text) {
            letter = static_cast<char>(draw(random, 'a', 'z'));
        }
        std::vector<std::string> blocks(static_cast<std::size_t>(draw(random, 1, 12)));
        Pool pool;
        pool.clear();
        for (std::string &block : blocks) {
            for (int pieces = draw(random, 0, 5); pieces > 0; --pieces) {
                const auto at =
                    static_cast<std::size_t>(draw(random, 0, static_cast<int>(text.size()) - 1));
                const auto bytes =
                    static_cast<std::size_t>(draw(random, 0, static_cast<int>(text.size() - at)));
                pool.add(Piece{address(&text[at]), &text[at], bytes});
                block += text.substr(at, bytes);
                std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(at), bytes, 1);
            }
            pool.end_block();
        }
        pool.lay_out();
        EXPECT_EQ(pool.bytes(), static_cast<std::size_t>(
                                    std::count(used.begin(), used.end(), static_cast<char>(1))));
        std::string table(pool.table_bytes(), '?'), payload(pool.bytes(), '?');
        pool.write_table(&table[0]);
        pool.write(&payload[0]);
        std::size_t at = 0;
        std::vector<nbrhood::Run> runs;
        for (const std::string &block : blocks) {
            ASSERT_TRUE(
                read_runs(table.data(), table.size(), at, block.size(), payload.size(), runs));
            std::string spelled;
            for (const nbrhood::Run &run : runs) {
                spelled += payload.substr(run.at, run.bytes);
            }
            EXPECT_EQ(spelled, block);
        }
        EXPECT_EQ(at, table.size());
    }
}

TEST(Pool, TablesThatCannotBeRightAreRefused)
{
    std::vector<nbrhood::Run> runs;
    const auto refused = [&](std::vector<std::uint64_t> words, std::size_t bytes,
                             std::size_t payload) {
        std::size_t at = 0;
        return !read_runs(reinterpret_cast<const char *>(words.data()),
                          words.size() * sizeof(std::uint64_t), at, bytes, payload, runs);
    };
    EXPECT_FALSE(refused({1, 2, 4}, 4, 6));
    EXPECT_TRUE(refused({}, 0, 0));
    EXPECT_TRUE(refused({1, 2}, 4, 6));                    // ends within a run
    EXPECT_TRUE(refused({~std::uint64_t{0}, 2, 4}, 4, 6)); // more runs than there is room for
    EXPECT_TRUE(refused({1, 3, 4}, 4, 6));                 // beyond the payload
    EXPECT_TRUE(refused({1, ~std::uint64_t{0}, 4}, 4, 6));
    EXPECT_TRUE(refused({1, 2, 4}, 5, 6)); // not the block's size
}

} // namespace
} // namespace nbrhood::test
