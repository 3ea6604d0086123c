// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Machines described in a line.
#include <gtest/gtest.h>

#include <stdexcept>

#include "machine/synthetic.h"

namespace nbrhood::test {
namespace {

TEST(Synthetic, RanksFillItBySlot)
{
    const SyntheticMachine machine("node:4 socket:2 core:2");
    ASSERT_EQ(machine.slots(), 16);
    for (Rank slot = 0; slot < 16; ++slot) {
        SCOPED_TRACE("slot " + std::to_string(slot));
        const Place place = machine.place(slot);
        EXPECT_EQ(place.node, slot / 4);
        EXPECT_EQ(place.domain(Level::socket), slot / 2 % 2 + 1);
        for (Level level : {Level::numa, Level::l3, Level::gpu, Level::die}) {
            EXPECT_EQ(place.domain(level), kNoSuchLevel);
        }
    }
}

// Domains are numbered within the node, over all sockets of it.
TEST(Synthetic, LevelsNestInAnyOrder)
{
    const SyntheticMachine numa_inside("node:2 socket:2 numa:3 core:2");
    const SyntheticMachine numa_outside(" node:2\tnuma:3  package:2 core:2 ");
    ASSERT_EQ(numa_inside.slots(), 24);
    ASSERT_EQ(numa_outside.slots(), 24);
    for (Rank slot = 0; slot < 24; ++slot) {
        const Rank within = slot % 12;
        EXPECT_EQ(numa_inside.place(slot).domain(Level::socket), within / 6 + 1);
        EXPECT_EQ(numa_inside.place(slot).domain(Level::numa), within / 2 + 1);
        EXPECT_EQ(numa_outside.place(slot).domain(Level::numa), within / 4 + 1);
        EXPECT_EQ(numa_outside.place(slot).domain(Level::socket), within / 2 + 1);
    }
}

TEST(Synthetic, LevelsMayBeLeftOut)
{
    EXPECT_EQ(SyntheticMachine("node:3").slots(), 3);
    EXPECT_EQ(SyntheticMachine("node:3").place(2).node, 2);
    const SyntheticMachine sockets("node:2 socket:4"); // one rank a socket
    EXPECT_EQ(sockets.slots(), 8);
    EXPECT_EQ(sockets.place(6).node, 1);
    EXPECT_EQ(sockets.place(6).domain(Level::socket), 3);
    EXPECT_EQ(SyntheticMachine("node:16777216").slots(), 1 << 24);
}

TEST(Synthetic, HasAllLevels)
{
    const SyntheticMachine machine("node:2 socket:2 numa:2 l3:2 gpu:3 die:2 core:5");
    ASSERT_EQ(machine.slots(), 480);
    for (Rank slot = 0; slot < 480; ++slot) {
        const Rank within = slot % 240;
        const Place place = machine.place(slot);
        const std::array<std::int16_t, kLevels - 1> expected{
            static_cast<std::int16_t>(within / 120 + 1), static_cast<std::int16_t>(within / 60 + 1),
            static_cast<std::int16_t>(within / 30 + 1), static_cast<std::int16_t>(within / 10 + 1),
            static_cast<std::int16_t>(within / 5 + 1)};
        ASSERT_EQ(place.node, slot / 240) << slot;
        ASSERT_EQ(place.domains, expected) << slot;
    }
    EXPECT_EQ(machine.machine(480, Level::l3).regions(), 16);
    EXPECT_EQ(machine.machine(480, Level::gpu).regions(), 48);
    EXPECT_EQ(machine.machine(480, Level::die).regions(), 96);
}

TEST(Synthetic, GivesRegions)
{
    const SyntheticMachine machine("node:2 socket:2 core:3");
    EXPECT_EQ(machine.machine(12, Level::node).regions(), 2);
    EXPECT_EQ(machine.machine(12, Level::socket).regions(), 4);
    const Machine part = machine.machine(8, Level::socket);
    EXPECT_EQ(part.ranks(), 8);
    EXPECT_EQ(part.members(2), (std::vector<Rank>{6, 7}));
}

struct Refused {
    const char *text;
    const char *reason;
};

class SyntheticRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SyntheticRefuses, WithPositionAndReason)
{
    try {
        const SyntheticMachine machine(GetParam().text);
        FAIL() << '"' << GetParam().text << "\" was taken";
    } catch (const std::invalid_argument &error) {
        EXPECT_STREQ(error.what(), GetParam().reason);
    }
}

INSTANTIATE_TEST_SUITE_P(
    , SyntheticRefuses,
    testing::Values(
        Refused{"", "character 1: the description is empty; levels are written like "
                    "\"node:4 socket:2 core:8\""},
        Refused{"  \t", "character 1: the description is empty; levels are written like "
                        "\"node:4 socket:2 core:8\""},
        Refused{"4", "character 1: \"4\" has no number; levels are written like "
                     "\"node:4 socket:2 core:8\""},
        Refused{"node:4 soket:2", "character 8: there is no level \"soket\"; levels are node, "
                                  "socket, numa, l3, gpu, die and core"},
        Refused{":4",
                "character 1: there is no level \"\"; levels are node, socket, numa, l3, gpu, "
                "die and core"},
        Refused{"node:", "character 6: \"\" is not a number from 1 to 16777216"},
        Refused{"node:4 core:0", "character 13: \"0\" is not a number from 1 to 16777216"},
        Refused{"node:-1", "character 6: \"-1\" is not a number from 1 to 16777216"},
        Refused{"node:4x", "character 6: \"4x\" is not a number from 1 to 16777216"},
        Refused{"node:4:2", "character 6: \"4:2\" is not a number from 1 to 16777216"},
        Refused{"node:99999999999",
                "character 6: \"99999999999\" is not a number from 1 to 16777216"},
        Refused{"socket:2 core:4",
                "character 1: the first level is node, the nodes of the machine"},
        Refused{"socket:2 node:4",
                "character 1: the first level is node, the nodes of the machine"},
        Refused{"node:2 socket:2 node:2", "character 17: node is the first level"},
        Refused{"node:2 core:2 socket:2", "character 15: core is the last level"},
        Refused{"node:2 core:2 core:2", "character 15: core is the last level"},
        Refused{"node:2 socket:2 package:2",
                "character 17: the level \"socket\" stands there twice"},
        Refused{"node:2 socket:2 gpu:16384",
                "character 17: a node would have more than 32767 of these"},
        Refused{"node:4096 socket:2 core:4096",
                "character 20: the machine would hold more than 16777216 ranks"}));

} // namespace
} // namespace nbrhood::test
