// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "select/costs.h"

namespace nbrhood::test {
namespace {

const char *const kText = "# a comment\n"
                          "\n"
                          "nbrhood_costs 2\n"
                          "name Some cluster, 2 nodes # not this\n"
                          "node_message 1.5e-07\n"
                          "  node_byte\t2e-10\r\n"
                          "node_long_message 3e-6 # source: table 1\n"
                          "node_long_byte 4e-11\n"
                          "network_message 5e-6\n"
                          "network_byte 6e-10\n"
                          "network_long_message .7e-5\n"
                          "network_long_byte 8e-11\n"
                          "protocol_switch 8192\n"
                          "injection_byte 9e-11\n"
                          "copy_byte 0\n"
                          "phase_latency 1e-6\n";
const char *const kSocket = "socket_message 1e-07\n"
                            "socket_byte 1e-10\n"
                            "socket_long_message 2e-6\n"
                            "socket_long_byte 3e-11\n";
const char *const kDiePair = "die_pair_message 1e-08\n"
                             "die_pair_byte 1e-11\n"
                             "die_pair_long_message 2e-7\n"
                             "die_pair_long_byte 3e-12\n";

Costs read(const std::string &text)
{
    std::istringstream in(text);
    return read_costs(in, "some.txt");
}

// The message of the exception, or "" when there is none.
std::string failure(const std::string &text)
{
    try {
        read(text);
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
}

std::vector<double> numbers_of(const LinkCosts &link)
{
    return {link.message, link.byte, link.long_message, link.long_byte};
}

std::vector<double> numbers(const Costs &c)
{
    std::vector<double> all;
    for (const LinkCosts &link : c.links) {
        const std::vector<double> some = numbers_of(link);
        all.insert(all.end(), some.begin(), some.end());
    }
    all.insert(all.end(), {c.protocol_switch, c.injection_byte, c.copy_byte, c.phase_latency});
    return all;
}

TEST(Costs, ReadsEveryValueToItsPlace)
{
    const Costs costs = read(std::string(kText) + kSocket + kDiePair);
    EXPECT_EQ(costs.name, "Some cluster, 2 nodes");
    EXPECT_EQ(numbers(costs), (std::vector<double>{1e-8,  1e-11,  2e-7,  3e-12, 1e-7,  1e-10, 2e-6,
                                                   3e-11, 1.5e-7, 2e-10, 3e-6,  4e-11, 5e-6,  6e-10,
                                                   7e-6,  8e-11,  8192,  9e-11, 0,     1e-6}));
}

TEST(Costs, LinksThatAreLeftOutCostWhatTheNextFartherDoes)
{
    const Costs two = read(kText);
    EXPECT_EQ(numbers_of(two[Link::socket]), numbers_of(two[Link::node]));
    EXPECT_EQ(numbers_of(two[Link::die_pair]), numbers_of(two[Link::node]));
    const Costs three = read(std::string(kText) + kSocket);
    EXPECT_EQ(three[Link::socket].message, 1e-7);
    EXPECT_EQ(numbers_of(three[Link::die_pair]), numbers_of(three[Link::socket]));
    EXPECT_EQ(failure(std::string(kText) + "socket_byte 1e-10\n"),
              "some.txt: socket_message is missing");
    EXPECT_EQ(failure(replaced(kText, "node_byte\t2e-10\r\n", "\n")),
              "some.txt: node_byte is missing");
}

TEST(Costs, WhatIsWrittenIsReadAgain)
{
    Costs costs = default_costs();
    costs.phase_latency = 1.0 / 3;
    costs.copy_byte = std::numeric_limits<double>::min();
    std::stringstream file;
    write_costs(file, costs);
    const Costs again = read_costs(file, "written");
    EXPECT_EQ(again.name, costs.name);
    EXPECT_EQ(numbers(again), numbers(costs));
}

TEST(Costs, WritesShortNumbers)
{
    std::ostringstream file;
    write_costs(file, read(kText));
    EXPECT_NE(file.str().find("node_message 1.5e-07\n"), std::string::npos) << file.str();
}

TEST(Costs, WrongLinesAreNamed)
{
    const struct {
        const char *what, *with, *message;
    } cases[] = {
        {"copy_byte 0", "copies 0", "some.txt:15: unknown name 'copies'"},
        {"copy_byte 0", "copy_byte", "some.txt:15: copy_byte has no value"},
        {"copy_byte 0", "copy_byte # 0", "some.txt:15: copy_byte has no value"},
        {"copy_byte 0", "name again", "some.txt:15: name is given twice"},
        {"copy_byte 0", "phase_latency 0", "some.txt:16: phase_latency is given twice"},
        {"copy_byte 0", "copy_byte -1", "some.txt:15: the value of copy_byte, '-1', is negative"},
        {"copy_byte 0", "copy_byte -0", "some.txt:15: the value of copy_byte, '-0', is negative"},
        {"nbrhood_costs 2", "nbrhood_costs 1",
         "some.txt:3: version '1' of the file format is not known, only 2; nbrhood-calibrate "
         "writes it"},
        {"nbrhood_costs 2", "phase_latency 1",
         "some.txt:3: the first line must be 'nbrhood_costs 2', not 'phase_latency'"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(failure(replaced(kText, c.what, c.with)), c.message);
    }
}

TEST(Costs, OnlyNumbersAreValues)
{
    for (const char *value : {"x", "1,5", "1e-6s", "1 2", "nan", "inf", "1e999", "--1", "e"}) {
        EXPECT_EQ(failure(replaced(kText, "copy_byte 0", std::string("copy_byte ") + value)),
                  std::string("some.txt:15: the value of copy_byte, '") + value
                      + "', is not a number that can be used");
    }
}

// With these costs the model's times would be infinite.
TEST(Costs, TooLargeNumbersAreNoCosts)
{
    for (const char *value : {"1001", "1e300"}) {
        EXPECT_EQ(failure(replaced(kText, "copy_byte 0", std::string("copy_byte ") + value)),
                  std::string("some.txt:15: the value of copy_byte, '") + value
                      + "', is larger than 1000");
    }
    EXPECT_EQ(read(replaced(kText, "copy_byte 0", "copy_byte 1000")).copy_byte, 1000);
    const std::string old = "protocol_switch";
    const std::string text = kText;
    const std::size_t at = text.find(old);
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_EQ(read(replaced(kText, line.c_str(), "protocol_switch 1e15")).protocol_switch, 1e15);
    EXPECT_NE(failure(replaced(kText, line.c_str(), "protocol_switch 1e16"))
                  .find("the value of protocol_switch, '1e16', is larger than 1000000000000000"),
              std::string::npos);
}

TEST(Costs, WhatIsMissingIsNamed)
{
    EXPECT_EQ(failure(""), "some.txt: the line 'nbrhood_costs 2' is missing");
    EXPECT_EQ(failure("# nothing\n"), "some.txt: the line 'nbrhood_costs 2' is missing");
    EXPECT_EQ(failure(replaced(kText, "phase_latency 1e-6\n", "")),
              "some.txt: phase_latency is missing");
    EXPECT_EQ(failure(replaced(kText, "name Some cluster, 2 nodes", "")),
              "some.txt: name is missing");
}

TEST(Costs, WhatCouldNotBeReadIsNotWritten)
{
    std::ostringstream file;
    for (const char *name : {"", "a # b", "a\nb", " a", "a "}) {
        Costs costs = default_costs();
        costs.name = name;
        EXPECT_THROW(write_costs(file, costs), std::invalid_argument) << name;
    }
    for (double value : {-1.0, -0.0, 1e4, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
        Costs costs = default_costs();
        costs[Link::network].long_byte = value;
        EXPECT_THROW(write_costs(file, costs), std::invalid_argument) << value;
    }
    EXPECT_EQ(file.str(), "");
}

TEST(Costs, TheDefaultsAreThoseOfACluster)
{
    const Costs costs = default_costs();
    for (double number : numbers(costs)) {
        EXPECT_GT(number, 0);
    }
    EXPECT_GT(costs[Link::network].message, costs[Link::node].message);
    EXPECT_LE(costs.injection_byte, costs[Link::network].long_byte);
    EXPECT_FALSE(costs.name.empty());
}

// The directory in the source tree, or the one that the environment names (contrib/check names one
// with the files that nbrhood-calibrate wrote).
TEST(Costs, FilesCanBeRead)
{
    const char *named = std::getenv("NBRHOOD_COSTS_DIR");
    std::vector<std::string> names;
    for (const auto &entry :
         std::filesystem::directory_iterator(named != nullptr ? named : NBRHOOD_COSTS_DIR)) {
        if (entry.path().extension() != ".txt") {
            continue;
        }
        std::ifstream file(entry.path());
        const Costs costs = read_costs(file, entry.path().string());
        EXPECT_GT(costs[Link::network].long_byte, 0) << entry.path();
        EXPECT_GT(costs.copy_byte, 0) << entry.path();
        names.push_back(costs.name);
    }
    EXPECT_FALSE(names.empty());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end())
        << "a name is not unique";
}

} // namespace
} // namespace nbrhood::test
