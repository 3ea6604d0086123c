// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The graph generators that nbrhood-bench and nbrhood-explain share, without MPI.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "common/error.h"
#include "common/graph_input.h"
#include "scratch_directory.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::BlockSizes;
using nbrhood_tools::GraphInput;
using nbrhood_tools::InputError;
using nbrhood_tools::make_all_neighbourhoods;
using nbrhood_tools::make_graph_input;
using nbrhood_tools::parse_graph_spec;
using Bytes = std::vector<std::int64_t>;

std::vector<Rank> peers(const std::vector<EdgeEnd> &ends)
{
    std::vector<Rank> ranks;
    ranks.reserve(ends.size());
    for (const EdgeEnd &end : ends) {
        ranks.push_back(end.peer);
    }
    return ranks;
}

class GraphInputFile : public testing::Test {
protected:
    // The --graph argument for a file of this kind with this text.
    std::string file(const std::string &kind, const std::string &text) const
    {
        std::ofstream(scratch_.file("graph")) << text;
        return kind + ":" + scratch_.file("graph");
    }

    ScratchDirectory scratch_;
};

// Each out-edge has its in-edge, and the other way round.
class EveryGraph : public testing::TestWithParam<const char *> {};

TEST_P(EveryGraph, FitsTogether)
{
    for (int ranks : {2, 3, 7, 24, 100}) {
        SCOPED_TRACE(ranks);
        const GraphInput input = make_graph_input(parse_graph_spec(GetParam()), ranks, {});
        ASSERT_EQ(input.neighbourhoods.size(), static_cast<std::size_t>(ranks));
        ASSERT_EQ(input.block_bytes.size(), static_cast<std::size_t>(ranks));
        std::uint64_t balance = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const Neighbourhood &part = input.neighbourhoods[static_cast<std::size_t>(rank)];
            EXPECT_EQ(part.rank, rank);
            balance += edge_balance(part);
            EXPECT_EQ(input.block_bytes[static_cast<std::size_t>(rank)], Bytes(part.out.size(), 8));
        }
        EXPECT_EQ(balance, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(, EveryGraph,
                         testing::Values("rsg:0.9", "rsg:1:7", "moore:1,1", "moore:3,1",
                                         "moore:2,2", "ring:1", "ring:9", "hubs:1", "hubs:8",
                                         "cliques:2", "cliques:8", "degree:4", "degree:200:7",
                                         "power:3", "power:20:7"));

// 100000 = 50 * 50 * 40, as MPI_Dims_create divides it; numbered row by row.
TEST(Moore, GridIsBalanced)
{
    const nbrhood_tools::Neighbourhood part =
        nbrhood_tools::compute_neighbourhood(parse_graph_spec("moore:3,1"), 0, 100000);
    std::set<int> expected;
    for (int x : {0, 1, 49}) {
        for (int y : {0, 1, 49}) {
            for (int z : {0, 1, 39}) {
                expected.insert((x * 50 + y) * 40 + z);
            }
        }
    }
    expected.erase(0);
    EXPECT_EQ(std::set<int>(part.destinations.begin(), part.destinations.end()), expected);
    EXPECT_EQ(part.destinations.size(), 26U);
}

TEST(Moore, GridOfAPrimeIsALine)
{
    const nbrhood_tools::Neighbourhood part =
        nbrhood_tools::compute_neighbourhood(parse_graph_spec("moore:3,1"), 5, 101);
    EXPECT_EQ(part.destinations, (std::vector<int>{4, 6}));
}

// moore:6,8 has 17 ^ 6 offsets, but a rank has at most as many neighbours as there are ranks.
TEST(Moore, WrapsInShortDimensions)
{
    for (int rank : {0, 17, 63}) {
        const nbrhood_tools::Neighbourhood part =
            nbrhood_tools::compute_neighbourhood(parse_graph_spec("moore:6,8"), rank, 64);
        std::set<int> others;
        for (int other = 0; other < 64; ++other) {
            if (other != rank) {
                others.insert(other);
            }
        }
        EXPECT_EQ(part.destinations.size(), 63U);
        EXPECT_EQ(std::set<int>(part.destinations.begin(), part.destinations.end()), others);
    }
    // Neighbours by offset: on a ring of 4, -2, -1, 1 and 2 are the rank two before, one before and
    // one behind (-2 and 2 are the same rank).
    EXPECT_EQ(
        nbrhood_tools::compute_neighbourhood(parse_graph_spec("moore:1,2"), 1, 4).destinations,
        (std::vector<int>{3, 0, 2}));
}

// Of 16 ranks, hubs 0 and 8 have all others as neighbours, and the others have the two hubs.
TEST(Hubs, OnlyHubsHaveManyNeighbours)
{
    for (int rank = 0; rank < 16; ++rank) {
        const nbrhood_tools::Neighbourhood part =
            nbrhood_tools::compute_neighbourhood(parse_graph_spec("hubs:2"), rank, 16);
        if (rank % 8 == 0) {
            EXPECT_EQ(part.destinations.size(), 15U);
        } else {
            EXPECT_EQ(part.destinations, (std::vector<int>{0, 8}));
        }
    }
}

// The mean degree is near the requested one, and the busiest rank has many times the mean.
TEST(PowerLaw, FewRanksHaveMostEdges)
{
    constexpr int kRanks = 1000;
    const GraphInput input = make_graph_input(parse_graph_spec("power:10"), kRanks, {});
    std::size_t edges = 0;
    std::size_t busiest = 0;
    for (const Neighbourhood &part : input.neighbourhoods) {
        edges += part.out.size();
        busiest = std::max(busiest, part.out.size());
    }
    EXPECT_GT(edges, 8U * kRanks);
    EXPECT_LT(edges, 11U * kRanks);
    EXPECT_GT(busiest, 200U);
}

// The reason why a graph over this many ranks is refused.
std::string size_refusal(const char *graph, int ranks)
{
    try {
        make_graph_input(parse_graph_spec(graph), ranks, {});
    } catch (const InputError &error) {
        return error.what();
    }
    return "accepted";
}

TEST(ComputedGraph, TooLargeOnesAreRefusedBeforeTheyAreMade)
{
    EXPECT_EQ(
        size_refusal("rsg:0.7", 10000),
        "rsg:0.7: would have about 69993000 edges between 10000 ranks, more than the 16777216 "
        "that can be taken in");
    EXPECT_EQ(size_refusal("moore:6,8", 1000000),
              "moore:6,8: would have about 999999000000 edges between 1000000 ranks, more than the "
              "16777216 that can be taken in");
    EXPECT_EQ(size_refusal("ring:2000000000", 1000000),
              "ring:2000000000: would have about 999999000000 edges between 1000000 ranks, more "
              "than the 16777216 that can be taken in");
    EXPECT_EQ(size_refusal("rsg:0.000001", 200000),
              "rsg:0.000001: would take hours for 200000 ranks, because it looks at every pair of "
              "them (at most 17179869184 pairs)");
    nbrhood_tools::check_graph_size(parse_graph_spec("rsg:0.7"), 2160);
    nbrhood_tools::check_graph_size(parse_graph_spec("moore:3,1"), 100000);
}

// The messages for likely mistakes lead users to matrix:FILE.
TEST(GraphSpec, RefusalsSayWhatIsMeant)
{
    const auto refusal = [](const std::string &text) -> std::string {
        try {
            parse_graph_spec(text);
        } catch (const nbrhood_tools::OptionError &error) {
            const std::string what = error.what();
            return what.substr(0, what.find(" (forms are"));
        }
        return "accepted";
    };
    for (const char *file : {"bcsstk13.mtx", "dir/bcsstk13", "/dev/null", "a.b:c"}) {
        EXPECT_EQ(refusal(file), std::string("--graph ") + file
                                     + ": a file must be given with its format, matrix:" + file
                                     + " or mesh:" + file);
    }
    EXPECT_EQ(refusal("rsg"), "--graph rsg: nothing after the kind of graph");
    EXPECT_EQ(refusal("matrix:"), "--graph matrix:: nothing after the kind of graph");
    EXPECT_EQ(refusal("star:3"), "--graph star:3: unknown kind 'star'");
    EXPECT_EQ(refusal("star"), "--graph star: unknown kind 'star'");
    EXPECT_EQ(refusal(""), "--graph : unknown kind ''");
    for (const char *text :
         {"rsg:nan", "rsg:-0.1", "rsg:1e-999", "rsg:0.5x", "rsg:0,5", "rsg:inf", "rsg:0.5:-1",
          "rsg:0.5:99999999999999999999", "ring:0", "ring:-1", "ring:2147483648", "ring:1.5",
          "moore:0,1", "moore:7,1", "moore:1,9", "moore:1", "moore:1,1,1", "moore:,"}) {
        EXPECT_NE(refusal(text), "accepted") << text;
    }
}

TEST(RandomSparseGraph, DensityAndSeedDecide)
{
    const auto edges = [](const char *text) {
        std::size_t sum = 0;
        for (const auto &part : make_all_neighbourhoods(parse_graph_spec(text), 200)) {
            sum += part.destinations.size();
        }
        return static_cast<double>(sum);
    };
    EXPECT_EQ(edges("rsg:1"), 200 * 199);
    EXPECT_NEAR(edges("rsg:0.3"), 0.3 * 200 * 199, 400); // more than four standard deviations
    EXPECT_NE(make_all_neighbourhoods(parse_graph_spec("rsg:0.3:1"), 20)[0].destinations,
              make_all_neighbourhoods(parse_graph_spec("rsg:0.3:2"), 20)[0].destinations);
}

TEST(ComputedGraph, BlocksHaveTheBytesAskedFor)
{
    BlockSizes sizes;
    sizes.block_bytes = 512;
    sizes.entry_bytes = 3;
    EXPECT_EQ(make_graph_input(parse_graph_spec("ring:2"), 6, sizes).block_bytes[3], Bytes(4, 512));
    sizes.kind = BlockKind::one_per_rank;
    EXPECT_EQ(make_graph_input(parse_graph_spec("ring:2"), 6, sizes).block_bytes[3], Bytes{512});
}

TEST(ComputedGraph, WithoutEdgesIsRefused)
{
    EXPECT_THROW(make_graph_input(parse_graph_spec("rsg:0"), 8, {}), InputError);
    EXPECT_THROW(make_graph_input(parse_graph_spec("ring:1"), 1, {}), InputError);
}

// Five rows over two ranks: rows and columns 0 to 2 on rank 0, 3 and 4 on rank 1.
TEST_F(GraphInputFile, MatricesSendTheEntriesThatRowsNeed)
{
    const auto spec =
        parse_graph_spec(file("matrix", "%%MatrixMarket matrix coordinate real general\n"
                                        "5 5 7\n"
                                        "1 1 1\n1 4 1\n2 4 1\n2 5 1\n"
                                        "4 1 1\n5 1 1\n5 5 1\n"));
    BlockSizes sizes;
    sizes.entry_bytes = 16;
    GraphInput input = make_graph_input(spec, 2, sizes);
    EXPECT_EQ(peers(input.neighbourhoods[0].out), (std::vector<Rank>{1}));
    EXPECT_EQ(peers(input.neighbourhoods[0].in), (std::vector<Rank>{1}));
    EXPECT_EQ(input.block_bytes, (std::vector<Bytes>{{16}, {32}})); // column 1; columns 4 and 5
    sizes.kind = BlockKind::one_per_rank;
    input = make_graph_input(spec, 2, sizes);
    EXPECT_EQ(input.block_bytes, (std::vector<Bytes>{{48}, {32}})); // all that a rank owns
}

// A ring of eight vertices cut in two: two vertices of each half have a neighbour in the other.
TEST_F(GraphInputFile, MeshesSendTheirHalo)
{
    std::string text = "8 8\n";
    for (int vertex = 0; vertex < 8; ++vertex) {
        text += std::to_string((vertex + 7) % 8 + 1) + " " + std::to_string((vertex + 1) % 8 + 1)
                + "\n";
    }
    const GraphInput input = make_graph_input(parse_graph_spec(file("mesh", text)), 2, {});
    EXPECT_EQ(peers(input.neighbourhoods[0].out), (std::vector<Rank>{1}));
    EXPECT_EQ(peers(input.neighbourhoods[1].out), (std::vector<Rank>{0}));
    EXPECT_EQ(input.block_bytes, (std::vector<Bytes>{{16}, {16}}));
}

TEST_F(GraphInputFile, WrongFilesAreNamed)
{
    const std::string text = file("mesh", "2 1\n2\n");
    try {
        make_graph_input(parse_graph_spec(text), 2, {});
        FAIL() << "a file that ends too early was taken";
    } catch (const InputError &error) {
        EXPECT_EQ(std::string(error.what()).find(scratch_.file("graph:")), 0U) << error.what();
    }
    EXPECT_THROW(make_graph_input(parse_graph_spec("matrix:" + scratch_.file("none")), 2, {}),
                 InputError);
}

} // namespace
} // namespace nbrhood::test
