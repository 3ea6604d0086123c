// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Files that users name: only regular ones of a bounded size are read.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "analysis/recorded_run.h"
#include "files/file_io.h"
#include "files/number_text.h"
#include "select/costs.h"
#include "scratch_directory.h"
#include "support.h"

namespace nbrhood::test {
namespace {

std::string refusal(const std::string &file, std::uint64_t most)
{
    return reason_of([&] { read_file(file, most); });
}

TEST(FileIo, ReadsAllOfAFile)
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("text");
    for (const std::size_t size : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 1000000UL}) {
        const std::string text(size, 'x');
        std::ofstream(file) << text;
        EXPECT_EQ(read_file(file, size), text) << size;
        EXPECT_EQ(read_file(file, 2 * size + 1), text) << size;
    }
}

// The size of a file that the kernel generates is not known beforehand.
TEST(FileIo, ReadsFilesWithoutASize)
{
    EXPECT_FALSE(read_file("/proc/self/status", 1 << 20).empty());
    EXPECT_EQ(refusal("/proc/self/status", 10),
              "/proc/self/status: has more than 10 bytes, the most that is read of such a file");
}

TEST(FileIo, FilesThatAreTooLongAreRefused)
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("text");
    std::ofstream(file) << "12345";
    EXPECT_EQ(read_file(file, 5), "12345");
    EXPECT_EQ(refusal(file, 4), file
                                    + ": has more than 4 bytes, the most that is read of such a "
                                      "file");
    // Nothing is read, so the call takes neither memory nor time.
    std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
    EXPECT_EQ(refusal(file, 1 << 20), file
                                          + ": has more than 1048576 bytes, the most that is read "
                                            "of such a file");
}

TEST(FileIo, OnlyRegularFilesAreRead)
{
    const ScratchDirectory scratch;
    const std::string pipe = scratch.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(refusal(pipe, 100), pipe + ": is not a regular file");
    EXPECT_EQ(refusal("/dev/zero", 100), "/dev/zero: is not a regular file");
    EXPECT_EQ(refusal("/dev/null", 100), "/dev/null: is not a regular file");
    EXPECT_EQ(refusal(scratch.name(), 100), scratch.name() + ": Is a directory");
    EXPECT_EQ(refusal(scratch.file("none"), 100),
              scratch.file("none") + ": No such file or directory");
    EXPECT_EQ(refusal("", 100), ": No such file or directory");
    std::filesystem::create_symlink(pipe, scratch.file("link"));
    EXPECT_EQ(refusal(scratch.file("link"), 100), scratch.file("link") + ": is not a regular file");
    std::filesystem::create_symlink(scratch.file("loop"), scratch.file("loop"));
    EXPECT_EQ(refusal(scratch.file("loop"), 100),
              scratch.file("loop") + ": Too many levels of symbolic links");
}

// The files that MPI_Init reads if coll_nbrhood_costs names one.
TEST(FileIo, CostsComeFromRegularFilesOfABoundedSize)
{
    const ScratchDirectory scratch;
    const std::string pipe = scratch.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(reason_of([&] { read_costs_file(pipe); }), pipe + ": is not a regular file");
    EXPECT_EQ(reason_of([] { read_costs_file("/dev/zero"); }), "/dev/zero: is not a regular file");
    const std::string file = scratch.file("costs.txt");
    std::ofstream(file) << "nbrhood_costs 1\n";
    std::filesystem::resize_file(file, kMostCostsBytes + 1);
    EXPECT_EQ(reason_of([&] { read_costs_file(file); }).find(file + ": has more than 1048576"), 0U);
    std::filesystem::copy_file(std::string(NBRHOOD_COSTS_DIR) + "/lassen.txt", file,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_GT(read_costs_file(file)[Link::network].message, 0);
}

TEST(FileIo, RecordingsAreReadFromRegularFiles)
{
    const ScratchDirectory scratch;
    const std::string pipe = scratch.file("0.txt");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(reason_of([&] { read_recording(scratch.name()); }), pipe + ": is not a regular file");
}

TEST(NumberText, IsTheShortestThatIsReadBackAsTheSameNumber)
{
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(2.5e-7), "2.5e-07");
    EXPECT_EQ(number_text(1.0 / 3), "0.3333333333333333");
    Random random(1);
    for (int i = 0; i < scaled(1000); ++i) {
        const double value = std::ldexp(static_cast<double>(random()), draw(random, -200, 200));
        EXPECT_EQ(std::stod(number_text(value)), value);
    }
}

} // namespace
} // namespace nbrhood::test
