// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Graph files: legal content, and content that is refused with its line.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "common/bounds.h"
#include "common/error.h"
#include "common/matrix_reader.h"
#include "common/mesh_reader.h"
#include "common/text_file.h"
#include "scratch_directory.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::InputError;
using nbrhood_tools::read_matrix_market;
using nbrhood_tools::read_metis_graph;
using nbrhood_tools::read_text_file;
using nbrhood_tools::SparseRows;
using Columns = std::vector<int>;

const std::string kGeneral = "%%MatrixMarket matrix coordinate pattern general\n";

class GraphFiles : public testing::Test {
protected:
    // Writes the text and returns the file's name.
    std::string file(const std::string &text) const
    {
        std::ofstream(name_) << text;
        return name_;
    }

    // The reason why a call fails, without the directory; "accepted" if it does not fail.
    template <typename Call>
    std::string refusal(const Call &call) const
    {
        try {
            call();
        } catch (const InputError &error) {
            const std::string what = error.what();
            return what.find(name_) == 0 ? what.substr(name_.size()) : what;
        }
        return "accepted";
    }

    std::string matrix_refusal(const std::string &text) const
    {
        return refusal([&] { read_matrix_market(file(text)); });
    }

    std::string mesh_refusal(const std::string &text) const
    {
        return refusal([&] { read_metis_graph(file(text)); });
    }

    ScratchDirectory scratch_;
    std::string name_ = scratch_.file("graph");
};

TEST_F(GraphFiles, MatricesComeByRows)
{
    const SparseRows rows =
        read_matrix_market(file("%%MatrixMarket MATRIX Coordinate Real General\r\n% a\r\n\r\n"
                                "3 4 5\r\n3 4 1e-400\r\n1 2 +.5\r\n 1\t1 -1E+3 \r\n1 2 nan\r\n"
                                "3 1 7"));
    EXPECT_EQ(rows.rows, 3);
    EXPECT_EQ(rows.columns_total, 4);
    EXPECT_EQ(rows.row_start, (std::vector<std::int64_t>{0, 2, 2, 4}));
    EXPECT_EQ(rows.columns, (Columns{0, 1, 0, 3})) << "one entry at a position, however often";
}

TEST_F(GraphFiles, BothTrianglesOfASymmetricMatrixCount)
{
    for (const char *symmetry : {"symmetric", "skew-symmetric", "hermitian"}) {
        const SparseRows rows =
            read_matrix_market(file(std::string("%%MatrixMarket matrix coordinate complex ")
                                    + symmetry + "\n3 3 4\n1 1 1 0\n2 1 1 0\n3 1 1 0\n3 2 1 0\n"));
        EXPECT_EQ(rows.row_start, (std::vector<std::int64_t>{0, 3, 5, 7})) << symmetry;
        EXPECT_EQ(rows.columns, (Columns{0, 1, 2, 0, 2, 0, 1})) << symmetry;
    }
}

TEST_F(GraphFiles, CommentsOfAMatrixMayBeLong)
{
    const std::string comment = "%" + std::string(5000000, 'x') + "\n";
    const SparseRows rows =
        read_matrix_market(file(kGeneral + comment + "2 2 1\n" + comment + "2 1\n" + comment));
    EXPECT_EQ(rows.columns, Columns{0});
}

TEST_F(GraphFiles, WrongMatricesAreRefusedWithTheLine)
{
    const struct {
        std::string text;
        const char *reason;
    } cases[] = {
        {"", ": the file is empty"},
        {"hello\n", ":1: not a MatrixMarket file: it does not start with '%%MatrixMarket matrix'"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n",
         ":1: the format is 'array'; only sparse matrices ('coordinate') can be used"},
        {"%%MatrixMarket matrix coordinate\n", ":1: unknown field ''"},
        {"%%MatrixMarket matrix coordinate real round\n", ":1: unknown symmetry 'round'"},
        {kGeneral, ":1: ends before the sizes"},
        {kGeneral + "2 2\n", ":2: the line ends before the number of entries"},
        {kGeneral + "2 2 1 1\n", ":2: '1' where the line should end"},
        {kGeneral + "2 -2 1\n", ":2: sizes out of range"},
        {kGeneral + "2 2 99999999999999999999\n",
         ":2: expected a whole number, not '99999999999999999999'"},
        {kGeneral + "100000000 100000000 1\n1 1\n",
         ":2: a matrix of 100000000 x 100000000 is larger than the 67108864 rows and columns that "
         "can be taken in"},
        {kGeneral + "9 9 268435457\n",
         ":2: 268435457 entries are more than the 268435456 that can be taken in"},
        {"%%MatrixMarket matrix coordinate real symmetric\n9 9 134217729\n",
         ":2: 134217729 entries are more than the 268435456 that can be taken in (each counts "
         "twice, once for either triangle)"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
         ":2: a matrix stored as one triangle must be square"},
        {kGeneral + "2 2 268435456\n1 1\n", ":3: ends after 1 of 268435456 entries"},
        {kGeneral + "2 2 1\n1 1\n1 2\n", ":4: more entries than the 1 announced"},
        {kGeneral + "2 2 1\n0 1\n", ":3: entry (0, 1) lies outside the 2 x 2 matrix"},
        {kGeneral + "2 2 1\n1 3\n", ":3: entry (1, 3) lies outside the 2 x 2 matrix"},
        {kGeneral + "2 2 1\n1 1x\n", ":3: expected a whole number, not '1x'"},
        {kGeneral + "2 2 1\n1 1 1\n", ":3: '1' where the line should end"},
        {kGeneral + "2 2 1\n1.0 1\n", ":3: expected a whole number, not '1.0'"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n",
         ":3: expected an entry, 'ROW COLUMN VALUE'"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1,5\n",
         ":3: expected an entry, 'ROW COLUMN VALUE'"},
        {kGeneral + "2 2 1\n" + std::string(100000, '9') + " 1\n",
         ":3: expected a whole number, not '9999999999999999999999999999999999999999...'"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(matrix_refusal(c.text), c.reason);
    }
}

TEST_F(GraphFiles, MeshesComeByVertices)
{
    const SparseRows mesh = read_metis_graph(file(
        "% comment\n4 2 011 2\n% comment\n7 7 2 5 3 5\n7 7 1 5\n7 7 1 5\n7 7\n% end\n\n \r\n"));
    EXPECT_EQ(mesh.row_start, (std::vector<std::int64_t>{0, 2, 3, 4, 4}));
    EXPECT_EQ(mesh.columns, (Columns{1, 2, 0, 0}));
}

TEST_F(GraphFiles, WrongMeshesAreRefusedWithTheLine)
{
    const struct {
        std::string text;
        const char *reason;
    } cases[] = {
        {"", ": the file is empty"},
        {"2 1 0 1 1\n2\n1\n", ":1: '1' where the line should end"},
        {"2 1 5\n2\n1\n", ":1: the format must be three digits, each 0 or 1"},
        {"2 -1\n", ":1: numbers of vertices and edges out of range"},
        {"67108865 1\n", ":1: a mesh of 67108865 vertices and 1 edges is larger than the 67108864 "
                         "vertices and 134217728 edges that can be taken in"},
        {"2 134217729\n", ":1: a mesh of 2 vertices and 134217729 edges is larger than the "
                          "67108864 vertices and 134217728 edges that can be taken in"},
        {"2 1\n2\n1\njunk\n", ":4: more lines than the 2 vertices of the first line"},
        {"2 1\n2\n1\n% fine\n3 4\n", ":5: more lines than the 2 vertices of the first line"},
        {"2 1\n2\n1-2\n", ":3: expected a whole number, not '1-2'"},
        {"2 1\n2\n1 2\n", ":3: vertex 2 is listed as its own neighbour"},
        {"3 1\n2 3\n1\n1\n", ":3: more neighbours than the 1 edges of the first line have"},
        {"3 2\n2\n1\n\n", ":4: there are 2 neighbours, but 2 edges need 4"},
        {"3 1\n2\n3\n\n", ":2: vertex 1 lists 2, which does not list it"},
        {"3 2\n2 2\n1 1\n\n", ":2: a neighbour is listed twice"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(mesh_refusal(c.text), c.reason) << c.text;
    }
}

TEST_F(GraphFiles, OnlyRegularFilesAreRead)
{
    ASSERT_EQ(mkfifo(name_.c_str(), 0600), 0);
    EXPECT_EQ(refusal([&] { read_matrix_market(name_); }), ": is not a regular file");
    EXPECT_EQ(refusal([&] { read_metis_graph("/dev/zero"); }), "/dev/zero: is not a regular file");
    EXPECT_EQ(refusal([&] { read_matrix_market(scratch_.name()); }),
              scratch_.name() + ": Is a directory");
}

// Compresses the file with gzip and returns the name of the result.
std::string packed(const std::string &file)
{
    EXPECT_EQ(std::system(("gzip -f '" + file + "'").c_str()), 0);
    return file + ".gz";
}

TEST_F(GraphFiles, MayBePacked)
{
    const std::string gz = packed(file(kGeneral + "2 2 1\n2 1\n"));
    EXPECT_EQ(read_matrix_market(gz).columns, Columns{0});
    const std::string whole = read_text_file(gz, 1000);
    EXPECT_EQ(read_text_file(gz, static_cast<std::int64_t>(whole.size())), whole);
}

// A few kilobytes that become gigabytes: the bound applies to the decompressed text.
TEST_F(GraphFiles, WhatIsPackedIsBoundedToo)
{
    std::ofstream(name_) << "";
    std::filesystem::resize_file(name_, 64 << 20);
    const std::string gz = packed(name_);
    EXPECT_LT(std::filesystem::file_size(gz), 1U << 20);
    EXPECT_EQ(refusal([&] { read_text_file(gz, 1 << 20); }),
              ".gz: has more than 1048576 bytes, the most that is read of such a file");
}

TEST_F(GraphFiles, BrokenGzipFilesAreRefused)
{
    EXPECT_EQ(refusal([&] { read_matrix_market(file("\x1f\x8bjunk")); }),
              ": begins as a file of gzip, but cannot be decompressed");
    EXPECT_EQ(refusal([&] { read_matrix_market(file("\x1f\x8b")); }),
              ": begins as a file of gzip, but cannot be decompressed");
}

} // namespace
} // namespace nbrhood::test
