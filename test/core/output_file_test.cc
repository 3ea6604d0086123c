// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Output files are written in one step, and other files are not touched.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/output_file.h"
#include "files/file_io.h"
#include "scratch_directory.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::check_writable;
using nbrhood_tools::replace_file;
namespace fs = std::filesystem;

class OutputFile : public testing::Test {
protected:
    std::string path(const std::string &name) const { return scratch_.file(name); }

    static std::string content(const std::string &file) { return read_file(file, 1000); }

    // The number of files beside those of the test.
    long files() const
    {
        return std::distance(fs::directory_iterator(scratch_.name()), fs::directory_iterator());
    }

    ScratchDirectory scratch_;
};

TEST_F(OutputFile, IsReplaced)
{
    const std::string file = path("out");
    EXPECT_EQ(check_writable(file), "");
    EXPECT_EQ(files(), 0) << "only looked at";
    EXPECT_EQ(replace_file(file, "one"), "");
    EXPECT_EQ(content(file), "one");
    EXPECT_EQ(check_writable(file), "");
    EXPECT_EQ(content(file), "one");
    EXPECT_EQ(replace_file(file, "two"), "");
    EXPECT_EQ(content(file), "two");
    EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, HasTheRightsThatTheUsersMaskLeaves)
{
    const mode_t before = umask(027);
    EXPECT_EQ(replace_file(path("out"), "text"), "");
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat(path("out").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

// A name beside the output file may belong to another file, or be a link.
TEST_F(OutputFile, NoOtherFileIsTouched)
{
    const std::string file = path("out");
    std::ofstream(file + ".tmp") << "mine";
    std::ofstream(path("precious")) << "mine";
    for (int number = 0; number < 3; ++number) {
        fs::create_symlink(path("precious"),
                           file + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(number));
    }
    EXPECT_EQ(check_writable(file), "");
    EXPECT_EQ(replace_file(file, "text"), "");
    EXPECT_EQ(content(file), "text");
    EXPECT_EQ(content(file + ".tmp"), "mine");
    EXPECT_EQ(content(path("precious")), "mine");
    EXPECT_EQ(files(), 6);
}

TEST_F(OutputFile, WhatALinkLeadsToIsReplaced)
{
    fs::create_directory(path("there"));
    std::ofstream(path("there/result")) << "old";
    fs::create_symlink("there/result", path("relative"));
    fs::create_symlink(path("relative"), path("out"));
    EXPECT_EQ(check_writable(path("out")), "");
    EXPECT_EQ(replace_file(path("out"), "new"), "");
    EXPECT_TRUE(fs::is_symlink(path("out")));
    EXPECT_TRUE(fs::is_symlink(path("relative")));
    EXPECT_EQ(content(path("there/result")), "new");

    fs::create_symlink("there/later", path("dangling"));
    EXPECT_EQ(replace_file(path("dangling"), "new"), "");
    EXPECT_EQ(content(path("there/later")), "new");

    fs::create_symlink("loop", path("loop"));
    const std::string loop = path("loop") + ": Too many levels of symbolic links";
    EXPECT_EQ(check_writable(path("loop")), loop);
    EXPECT_EQ(replace_file(path("loop"), "new"), loop);
}

TEST_F(OutputFile, DevicesAndPipesAreWrittenTo)
{
    EXPECT_EQ(check_writable("/dev/null"), "");
    EXPECT_EQ(replace_file("/dev/null", "text"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_EQ(replace_file("/dev/full", "text"), "/dev/full: No space left on device");

    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(replace_file(pipe, "text"), pipe + ": No such device or address") << "no reader";
    Descriptor reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
    EXPECT_EQ(replace_file(pipe, "text"), "");
    EXPECT_EQ(read_to_end(reader.number(), pipe, 100), "text");
}

TEST_F(OutputFile, FailuresLeaveNothingBehind)
{
    fs::create_directory(path("directory"));
    EXPECT_EQ(check_writable(path("directory")), path("directory") + ": Is a directory");
    EXPECT_EQ(replace_file(path("directory"), "text"), path("directory") + ": Is a directory");
    const std::string none = path("none/out");
    EXPECT_EQ(check_writable(none), none + ": No such file or directory");
    EXPECT_EQ(replace_file(none, "text"), none + ": No such file or directory");
    EXPECT_EQ(files(), 1);
}

} // namespace
} // namespace nbrhood::test
