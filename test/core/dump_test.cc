// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The format of a recorded rank's file, and of a directory of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <stdexcept>

#include "analysis/recorded_run.h"
#include "scratch_directory.h"
#include "support.h"

namespace nbrhood::test {
namespace {

const char *const kText = "nbrhood_recording 3\n"
                          "communicator run-7\n"
                          "ranks 16\n"
                          "algorithm aggregated\n"
                          "host node1\n"
                          "node 4\n"
                          "domains none 0 1 2 3\n"
                          "region socket\n"
                          "ranks_per_core 2\n"
                          "combining_threshold 8192\n"
                          "packing_threshold 4096\n"
                          "in peer 7 key 0\n"
                          "out peer none key 0\n"
                          "out peer 15 key 2 weight 0\n"
                          "pattern rank 5 one_per_edge staging 2\n"
                          "send combined 1 peer 7 key 0 : s1 t1/0-1/2\n"
                          "copy direct 3 peer -1 key 0 : t0 r0\n"
                          "end\n";

RecordedRank read(const std::string &text)
{
    std::istringstream in(text);
    return read_recorded(in, "some.txt");
}

std::string written(const RecordedRank &rank)
{
    std::ostringstream out;
    write_recorded(out, rank);
    return out.str();
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
}

TEST(Dump, ReadsEveryValueToItsPlace)
{
    const RecordedRank rank = read(kText);
    EXPECT_EQ(rank.communicator, "run-7");
    EXPECT_EQ(rank.ranks, 16);
    EXPECT_EQ(rank.algorithm, "aggregated");
    EXPECT_EQ(rank.host, "node1");
    EXPECT_EQ(rank.node, 4);
    EXPECT_EQ(rank.domains, (std::array<std::int16_t, 5>{-1, 0, 1, 2, 3}));
    EXPECT_EQ(rank.region, "socket");
    EXPECT_EQ(rank.ranks_per_core, 2);
    EXPECT_EQ(rank.combining_threshold, 8192U);
    EXPECT_EQ(rank.packing_threshold, 4096U);
    EXPECT_EQ(rank.neighbourhood.rank, 5);
    ASSERT_EQ(rank.neighbourhood.in.size(), 1U);
    EXPECT_EQ(rank.neighbourhood.in[0].peer, 7);
    EXPECT_EQ(rank.neighbourhood.in[0].weight, 1);
    ASSERT_EQ(rank.neighbourhood.out.size(), 2U);
    EXPECT_EQ(rank.neighbourhood.out[0].peer, kNoRank);
    EXPECT_EQ(rank.neighbourhood.out[1].key, 2);
    EXPECT_EQ(rank.neighbourhood.out[1].weight, 0);
    EXPECT_EQ(rank.pattern, from_text("pattern rank 5 one_per_edge staging 2\n"
                                      "send combined 1 peer 7 key 0 : s1 t1/0-1/2\n"
                                      "copy direct 3 peer -1 key 0 : t0 r0\n"));
}

TEST(Dump, HasTheDocumentedForm)
{
    EXPECT_EQ(written(read(kText)), kText);
    EXPECT_EQ(written(read("\n  " + replaced(kText, "\nnode 4\n", "\r\n\n\tnode  4 \n"))), kText);
    EXPECT_EQ(written(read(replaced(replaced(kText, "ranks 16\n", ""), "packing_threshold 4096\n",
                                    "packing_threshold 4096\nranks 16\n"))),
              kText);
}

TEST(Dump, SaysHowManyRanksTookPartWhereNotAll)
{
    EXPECT_EQ(read(kText).members, 16);
    const std::string text = replaced(kText, "in peer 7", "members 12\nin peer 7");
    EXPECT_EQ(read(text).members, 12);
    EXPECT_EQ(written(read(text)), text);
    EXPECT_EQ(written(read(replaced(text, "members 12", "members 16"))), kText);
}

TEST(Dump, KeepsAllDigitsOfRanksPerCore)
{
    RecordedRank rank = read(kText);
    rank.ranks_per_core = 16.0 / 3;
    EXPECT_EQ(read(written(rank)).ranks_per_core, 16.0 / 3);
}

// Settings that a program around the component may have.
class Grouping : public std::numpunct<char> {
protected:
    char do_thousands_sep() const override { return '.'; }
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(Dump, DoesNotDependOnTheLocale)
{
    const std::string text = replaced(replaced(kText, "ranks_per_core 2", "ranks_per_core 2.5"),
                                      "staging 2", "staging 12345");
    const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
    std::string again;
    const std::string reason = reason_of([&] { again = written(read(text)); });
    std::locale::global(before);
    EXPECT_EQ(reason, "accepted");
    EXPECT_EQ(again, text);
}

TEST(Dump, WrongLinesAreNamed)
{
    const struct {
        const char *what, *with, *message;
    } cases[] = {
        {"nbrhood_recording 3", "pattern rank 0",
         "1: the first line must be 'nbrhood_recording 3', not 'pattern ...'"},
        {"nbrhood_recording 3", "nbrhood_recording 2",
         "1: version '2' of the file format is not known, only 3"},
        {"nbrhood_recording 3", "nbrhood_recording", "1: a word expected as version"},
        {"nbrhood_recording 3", "nbrhood_recording 3 x", "1: 'x' where the line should end"},
        {"communicator run-7", "communicator", "2: communicator: a word expected as name"},
        {"communicator run-7", "communicator run 7",
         "2: communicator: '7' where the line should end"},
        {"ranks 16", "ranks -1", "3: ranks: -1 is not a number from 0 to 2147483647 as ranks"},
        {"ranks 16", "ranks x", "3: ranks: a number expected as ranks"},
        {"ranks 16", "ranks 5", "12: 7 is not a number from 0 to 4 as peer"},
        {"ranks 16", "ranks 16\nranks 16", "4: ranks is given twice"},
        {"algorithm", "algorithms", "4: unknown name 'algorithms'"},
        {"host node1\n", "", "11: the line 'host ...' is missing above"},
        {"node 4", "node none", "6: node: a number expected as node"},
        {"node 4", "node 4x", "6: node: 'x' where the line should end"},
        {"domains none 0 1 2 3", "domains none 0 1 2", "7: domains: a word expected as domain"},
        {"domains none 0 1 2 3", "domains none 0 1 32768 3",
         "7: domains: 32768 is not a number from 0 to 32767 as domain"},
        {"region socket", "region", "8: region: a word expected as level"},
        {"ranks_per_core 2", "ranks_per_core 0", "9: ranks_per_core: a positive number expected"},
        {"ranks_per_core 2", "ranks_per_core nan", "9: ranks_per_core: a positive number expected"},
        {"combining_threshold 8192", "combining_threshold 4294967296",
         "10: combining_threshold: a number out of range as bytes"},
        {"in peer 7", "in peer 16", "12: 16 is not a number from 0 to 15 as peer"},
        {"in peer 7", "in 7", "12: 'peer' expected, '7' found"},
        {"in peer 7 key 0", "in peer 7", "12: 'key' expected, '' found"},
        {"weight 0", "weigh 0", "14: 'weight' expected, 'weigh' found"},
        {"weight 0", "weight 16777217",
         "14: 16777217 is not a number from 0 to 16777216 as weight"},
        {"weight 0", "weight 0 0", "14: '0' where the line should end"},
        {"rank 5", "rank 16", "15: rank 16 is not one of 16 ranks"},
        {"staging 2", "staging 2 2", "15: '2' where the line should end"},
        {"one_per_edge", "one_per_node", "15: unknown word 'one_per_node'"},
        {"send combined", "send", "16: unknown word '1'"},
        {"send combined 1", "send combined 8", "16: there is no phase 8"},
        {"send combined", "pattern rank", "16: a second line 'pattern ...'"},
        {"1 peer 7 key 0 : s1", "1 peer 16 key 0 : s1", "16: peer 16 is not one of 16 ranks"},
        {"send combined 1", "send direct_if_large 4",
         "16: a message by size has other data than one block"},
        {"send combined", "send direct_if_small",
         "16: a message by size has other data than one block"},
        {": s1 t1/0-1/2", ":", "16: a message without slices"},
        {": s1 t1", ": s2 t1", "16: there is no send block 2 among 2"},
        {": s1 t1", ": s4294967295 t1",
         "16: slice 's4294967295' is not of the form s0, s0+COUNT or s0/FIRST-LAST/OF"},
        {"t1/0-1/2", "t2", "16: there is no staging block 2 among 2"},
        {"t1/0-1/2", "r1", "16: there is no receive block 1 among 1"},
        {"t1/0-1/2", "t1/2-2/2",
         "16: slice 't1/2-2/2' is not of the form s0, s0+COUNT or s0/FIRST-LAST/OF"},
        {"t1/0-1/2", "t1/0-1/0",
         "16: slice 't1/0-1/0' is not of the form s0, s0+COUNT or s0/FIRST-LAST/OF"},
        {"t1/0-1/2", "t1/0+1/2", "16: slice 't1/0+1/2' lacks a '-'"},
        {"t1/0-1/2", "t1+0",
         "16: slice 't1+0' is not of the form s0, s0+COUNT or s0/FIRST-LAST/OF"},
        {"t1/0-1/2", "t1+2", "16: there is no staging block 2 among 2"},
        {": t0 r0", ": t0 r1", "17: there is no receive block 1 among 1"},
        {": t0 r0", ": t2 r0", "17: there is no staging block 2 among 2"},
        {"3 peer -1", "3 peer 16", "17: peer 16 is not one of 16 ranks"},
        {"3 peer -1", "3 peer -2", "17: peer -2 is not one of 16 ranks"},
        {"send combined 1 peer 7 key 0", "send combined 1 peer 7 key -1",
         "16: the key is negative"},
        {"send combined 1 peer 7", "send combined 1 peer -1", "16: peer -1 is not one of 16 ranks"},
        {"in peer 7 key 0", "in peer 7 key -1",
         "12: -1 is not a number from 0 to 2147483647 as key"},
        {": t0 r0", ": t0", "17: a copy has two slices, from and to"},
        {"copy direct", "host node2", "17: unknown word 'host'"},
        {"end\n", "end\nend\n", "19: 'end' after the last line, 'end'"},
        {"end\n", "", "17: the line 'end' is missing: the file was cut off"},
        {"in peer 7", "members 17\nin peer 7", "16: 17 members of 16 ranks"},
        {"in peer 7", "members 0\nin peer 7", "16: 0 members of 16 ranks"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(reason_of([&] { read(replaced(kText, c.what, c.with)); }),
                  std::string("some.txt:") + c.message);
    }
    // In an allgather a rank has one block.
    EXPECT_EQ(reason_of([] { read(replaced(kText, "one_per_edge", "one_per_rank")); }),
              "some.txt:16: there is no send block 1 among 1");
    EXPECT_EQ(reason_of([] { read(""); }), "some.txt:1: the line 'nbrhood_recording 3' is missing");
    EXPECT_EQ(reason_of([] { read("nbrhood_recording 3\nend\n"); }),
              "some.txt:2: the line 'pattern ...' is missing above");
}

// The reader notices any line that is lost at the end.
TEST(Dump, FilesThatWereCutOffAreRefused)
{
    const std::string text = kText;
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
        EXPECT_NE(reason_of([&] { read(text.substr(0, size)); }), "accepted") << size;
    }
}

TEST(Dump, WhatCouldNotBeReadIsNotWritten)
{
    std::ostringstream out;
    for (const char *name : {"", "a b", "a\nb", " a", "a "}) {
        RecordedRank rank = read(kText);
        rank.host = name;
        EXPECT_THROW(write_recorded(out, rank), std::invalid_argument) << name;
    }
    RecordedRank other_rank = read(kText);
    other_rank.pattern.rank = 16;
    EXPECT_THROW(write_recorded(out, other_rank), std::invalid_argument);
    RecordedRank other_block = read(kText);
    other_block.neighbourhood.out.pop_back();
    EXPECT_THROW(write_recorded(out, other_block), std::invalid_argument);
    EXPECT_EQ(out.str(), "");
}

// A directory with the files of four ranks.
class DumpDirectory : public testing::Test {
protected:
    DumpDirectory()
    {
        for (Rank rank = 0; rank < 4; ++rank) {
            write(rank, text_of(rank));
        }
    }

    static std::string text_of(Rank rank)
    {
        const std::string number = std::to_string(rank);
        return "nbrhood_recording 3\ncommunicator c\nranks 4\nalgorithm aggregated\nhost h\n"
               "node 0\ndomains 0 0 0 0 0\nregion node\nranks_per_core 1\n"
               // rank 3 has no edges and does not know T
               "combining_threshold "
               + std::string(rank == 3 ? "0" : "1024") + "\npacking_threshold 8192\npattern rank "
               + number + " one_per_edge staging 0\nend\n";
    }

    std::string name(Rank rank) const { return scratch_.file(std::to_string(rank) + ".txt"); }

    void write(Rank rank, const std::string &text) const { std::ofstream(name(rank)) << text; }

    std::string reason() const
    {
        return reason_of([&] { read_recording(scratch_.name()); });
    }

    ScratchDirectory scratch_;
};

TEST_F(DumpDirectory, IsReadInRankOrder)
{
    std::filesystem::rename(name(0), scratch_.file("last.txt"));
    std::ofstream(scratch_.file("picture.svg")) << "not looked at";
    const std::vector<RecordedRank> ranks = read_recording(scratch_.name());
    ASSERT_EQ(ranks.size(), 4U);
    for (Rank rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(ranks[static_cast<std::size_t>(rank)].pattern.rank, rank);
        EXPECT_EQ(ranks[static_cast<std::size_t>(rank)].neighbourhood.rank, rank);
    }
}

TEST_F(DumpDirectory, MissingRanksAreNamed)
{
    std::filesystem::remove(name(1));
    std::filesystem::remove(name(2));
    EXPECT_EQ(reason(), scratch_.name() + ": 2 of 4 ranks are missing, the first is rank 1");
}

// Ranks that took no part, such as those of other components of the graph, have no edges.
TEST_F(DumpDirectory, OnlyMembersHaveFiles)
{
    std::filesystem::remove(name(0));
    std::filesystem::remove(name(2));
    for (const char *members : {"2", "3", "1"}) {
        for (Rank rank : {1, 3}) {
            write(rank, replaced(replaced(text_of(rank), "node 0", rank == 1 ? "node 0" : "node 3"),
                                 "pattern", std::string("members ") + members + "\npattern"));
        }
        if (members[0] != '2') {
            EXPECT_EQ(reason(), scratch_.name()
                                    + (members[0] == '3' ? ": 1 of 3 ranks are missing"
                                                         : ": 2 ranks of a pattern of 1"));
            continue;
        }
        const std::vector<RecordedRank> ranks = read_recording(scratch_.name());
        ASSERT_EQ(ranks.size(), 4U);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            EXPECT_EQ(ranks[rank].pattern.rank, static_cast<Rank>(rank));
            EXPECT_EQ(ranks[rank].node, rank == 3 ? 3 : 0);
            EXPECT_TRUE(ranks[rank].pattern.operations.empty());
        }
    }
}

TEST_F(DumpDirectory, DoubledRanksAreNamed)
{
    write(2, text_of(1));
    EXPECT_EQ(reason(), name(2) + ": rank 1 is also in " + name(1));
}

TEST_F(DumpDirectory, FilesOfOtherPatternsAreNamed)
{
    const struct {
        const char *what, *with, *message;
    } cases[] = {
        {"communicator c", "communicator d", "communicator d here, c there"},
        {"ranks 4", "ranks 5", "ranks 5 here, 4 there"},
        {"aggregated", "two_step", "algorithm two_step here, aggregated there"},
        {"region node", "region numa", "region numa here, node there"},
        {"one_per_edge", "one_per_rank", "blocks one_per_rank here, one_per_edge there"},
        {"packing_threshold 8192", "packing_threshold 1", "packing_threshold 1 here, 8192 there"},
        {"combining_threshold 1024", "combining_threshold 2048",
         "combining_threshold 2048 here, 1024 there"},
    };
    for (const auto &c : cases) {
        write(2, replaced(text_of(2), c.what, c.with));
        const std::string other = name(std::string(c.what).find("combining") == 0 ? 1 : 0);
        EXPECT_EQ(reason(), name(2) + ": not of the same pattern as " + other + ": " + c.message);
    }
}

TEST_F(DumpDirectory, FilesThatAreNoneAreNamed)
{
    std::ofstream(scratch_.file("notes.txt")) << "what I did today\n";
    EXPECT_EQ(reason(), scratch_.file("notes.txt")
                            + ":1: the first line must be 'nbrhood_recording 3', not 'what ...'");
}

TEST_F(DumpDirectory, DirectoriesWithoutFilesAreNamed)
{
    const std::string empty = scratch_.file("empty");
    std::filesystem::create_directory(empty);
    EXPECT_EQ(reason_of([&] { read_recording(empty); }),
              empty + ": there is no file of a rank (*.txt) in this directory");
    // If a directory above that of a pattern is given, the message says where to look.
    const std::string pattern = scratch_.file("recordings/run/aggregated-one_per_edge");
    std::filesystem::create_directories(pattern);
    std::filesystem::create_directories(scratch_.file("recordings/run/two_step-one_per_edge"));
    std::filesystem::copy(name(0), pattern);
    std::filesystem::copy(name(0), scratch_.file("recordings/run/two_step-one_per_edge"));
    for (const char *above : {"recordings", "recordings/run"}) {
        EXPECT_EQ(reason_of([&] { read_recording(scratch_.file(above)); }),
                  scratch_.file(above)
                      + ": there is no file of a rank (*.txt) in this directory; a recording is "
                        "the directory of one pattern, such as "
                      + pattern);
    }
    EXPECT_EQ(reason_of([&] { read_recording(empty + "/none"); }),
              empty + "/none: No such file or directory");
    EXPECT_EQ(reason_of([&] { read_recording(name(0)); }), name(0) + ": Not a directory");
}

} // namespace
} // namespace nbrhood::test
