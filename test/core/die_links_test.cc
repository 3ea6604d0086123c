// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The GPU dies of a node: links, hops, packages, and the files that describe them.
#include <gtest/gtest.h>

#include <sstream>

#include "capi/nbrhood_die_links.h"
#include "engine/survey.h"
#include "machine/die_links_file.h"

namespace nbrhood::test {
namespace {

// A node with four MI250X of two dies each; the numbers are those of ROCm/rccl,
// tools/topo_expl/models/topo_8p1h_3.xml.
constexpr const char *kMi250x = "# GCD: 0 1 2 3 4 5 6 7 ; PCI bus c1 c6 c9 ce d1 d6 d9 de ; "
                                "NUMA 3 3 1 1 0 0 2 2\n"
                                "0 4 1 0 0 0 2 0\n"
                                "4 0 0 1 0 1 0 0\n"
                                "1 0 0 4 2 0 0 0\n"
                                "0 1 4 0 0 0 0 1\n"
                                "0 0 2 0 0 4 1 0\n"
                                "0 1 0 0 4 0 0 1\n"
                                "2 0 0 0 1 0 0 4\n"
                                "0 0 0 1 0 1 4 0\n";

DieTable read(const std::string &text)
{
    std::istringstream in(text);
    return read_die_table(in, "file");
}

// The reason why a file is refused; empty if it is accepted.
std::string refusal(const std::string &text)
{
    try {
        (void) read(text);
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

std::vector<int> packages_of(const DieLinks &links)
{
    std::vector<int> packages;
    for (int die = 0; die < links.dies(); ++die) {
        packages.push_back(links.package_of(die));
    }
    return packages;
}

TEST(DieLinks, OfANodeWithFourMi250x)
{
    const DieTable table = read(kMi250x);
    const DieLinks &links = table.links;
    ASSERT_EQ(links.dies(), 8);
    EXPECT_EQ(packages_of(links), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(links.links(0, 1), 4);
    EXPECT_EQ(links.links(0, 6), 2);
    EXPECT_EQ(links.links(4, 6), 1);
    EXPECT_EQ(links.links(0, 4), 0);
    EXPECT_EQ(links.hops(0, 0), 0);
    EXPECT_EQ(links.hops(0, 6), 1);
    EXPECT_EQ(links.hops(0, 4), 2);
    EXPECT_EQ(links.hops(0, 5), 2);
    EXPECT_EQ(links.hops(1, 6), 2);
    EXPECT_EQ(table.pci.at(3).text(), "0000:ce:00.0");
    EXPECT_EQ(table.numa, (std::vector<int>{3, 3, 1, 1, 0, 0, 2, 2}));
    EXPECT_EQ(table.find({0, 0xd9, 0, 0}), 6);
    EXPECT_EQ(table.find({0, 0xd8, 0, 0}), -1);
}

TEST(DieLinks, DiesThatNoLinksJoinAreFartherThanAnyOthers)
{
    const DieLinks links = read("0 1 0\n1 0 0\n0 0 0\n").links;
    EXPECT_EQ(links.hops(0, 1), 1);
    EXPECT_EQ(links.hops(0, 2), 3);
}

TEST(DieLinks, TheHashIsOfLinksAndPackages)
{
    const std::uint64_t hash = read(kMi250x).links.hash();
    EXPECT_EQ(read("# packages: 0-1 2-3 4-5 6-7\n" + std::string(kMi250x)).links.hash(), hash);
    EXPECT_NE(read("# packages: 0-3 4-7\n" + std::string(kMi250x)).links.hash(), hash);
    EXPECT_NE(read("0 1\n1 0\n").links.hash(), read("0 2\n2 0\n").links.hash());
}

TEST(DieLinks, PackagesFollowFromTheLinks)
{
    const auto packages = [](const std::string &rows) { return packages_of(read(rows).links); };
    // All dies of a node together do not make a package, however they are linked.
    EXPECT_EQ(packages("0 4\n4 0\n"), (std::vector<int>{0, 1}));
    EXPECT_EQ(packages("0 1 1\n1 0 1\n1 1 0\n"), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(packages("0 0\n0 0\n"), (std::vector<int>{0, 1}));
    // The dies of a package need not be consecutive.
    EXPECT_EQ(packages("0 1 4 1\n1 0 1 4\n4 1 0 1\n1 4 1 0\n"), (std::vector<int>{0, 1, 0, 1}));
    // Packages of different sizes.
    EXPECT_EQ(packages("0 3 1\n3 0 1\n1 1 0\n"), (std::vector<int>{0, 0, 1}));
    // A chain of three is not a package, because its ends are not joined by that number of links.
    EXPECT_EQ(packages("0 4 0 0\n4 0 4 0\n0 4 0 1\n0 0 1 0\n"), (std::vector<int>{0, 1, 2, 3}));
}

TEST(DieLinks, AFileMaySayWhichDiesMakeAPackage)
{
    const std::string rows = "0 1 0 0\n1 0 0 0\n0 0 0 1\n0 0 1 0\n";
    const auto packages = [&](const std::string &line) {
        return packages_of(read(line + "\n" + rows).links);
    };
    EXPECT_EQ(packages("# (4 dies in 2 packages: 0-1 2-3) of some machine"),
              (std::vector<int>{0, 0, 1, 1}));
    EXPECT_EQ(packages("#packages: 2-3, 0, 1."), (std::vector<int>{0, 1, 2, 2}));
    EXPECT_EQ(packages("# packages: 0+2 1+3"), (std::vector<int>{0, 1, 0, 1}));
    EXPECT_EQ(packages("# packages: 0-3 and nothing else"), (std::vector<int>{0, 0, 0, 0}));
    EXPECT_EQ(packages("# packages: as the links say"), (std::vector<int>{0, 0, 1, 1}));
}

TEST(DieLinks, AFileThatIsWrittenIsReadAgain)
{
    for (const std::string &text :
         {std::string(kMi250x),
          std::string("# packages: 0+2 1+3\n0 1 0 0\n1 0 0 0\n0 0 0 1\n"
                      "0 0 1 0\n"),
          std::string("0\n"), std::string("#GCD: 0 1;PCI bus 0001:c1:1f.7 c1\n0 1\r\n1 0\r\n")}) {
        const DieTable table = read(text);
        const std::string written = write_die_table(table);
        const DieTable again = read(written);
        EXPECT_EQ(again.links.hash(), table.links.hash()) << written;
        EXPECT_EQ(again.pci, table.pci);
        EXPECT_EQ(again.numa, table.numa);
        EXPECT_EQ(write_die_table(again), written);
    }
}

TEST(DieLinks, AWrongFileIsRefusedWithItsLine)
{
    std::string wide = "0";
    for (int die = 1; die <= kMostDies; ++die) {
        wide += " 0";
    }
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"", "file: there are no rows of links"},
        {"# nothing else\n\n", "file: there are no rows of links"},
        {"0 1\n", "file: the table ends after 1 of 2 rows"},
        {"0 1\n1 0\n0 0\n", "file:3: there are more rows than the 2 dies"},
        {"0 1 0\n1 0\n", "file:2: die 1 has links to 2 dies, die 0 to 3"},
        {"0 1 0\n1 0 0 0\n", "file:2: die 1 has links to 4 dies, die 0 to 3"},
        {"# x\n0 1\n2 0\n", "file:3: die 1 has 2 links to die 0, which has 1 to it"},
        {"0 1\n1 4\n", "file:2: die 1 is linked to itself"},
        {"0 one\n", "file:1: 'one' is not a number of links from 0 to 1000"},
        {"0 -1\n", "file:1: '-1' is not a number of links"},
        {"0 1.5\n", "file:1: '1.5' is not a number of links"},
        {"0 1001\n", "file:1: '1001' is not a number of links"},
        {"0 99999999999999999999\n", "is not a number of links"},
        {std::string("\0\xff\x1b[2J\n", 7), "file:1: '???[2J' is not a number of links"},
        {std::string(5000, 'x') + "\n", "xxx...' is not a number of links"},
        {wide + "\n", "file:1: links to 65 dies; there may be 64"},
        {"# packages: 0-1\n0 0 0\n0 0 0\n0 0 0\n", "file:1: die 2 is in no package"},
        {"# packages: 0-1 1-2\n0 0 0\n0 0 0\n0 0 0\n", "file:1: die 1 is in two packages"},
        {"# packages: 0-2\n0 0\n0 0\n", "file:1: there is no die 2 for a package"},
        {"# packages: 1-0\n0 0\n0 0\n", "file:1: '1-0' is no range of dies"},
        {"# packages: 0-\n0 0\n0 0\n", "file:1: '' is not a die"},
        {"# packages: 0+1x\n0 0\n0 0\n", "file:1: '1x' is not a die"},
        {"# packages: 0-1\n# packages: 0-1\n", "file:2: packages are given twice"},
        {"#\n# GCD: 0 1 2\n0 0\n0 0\n", "file:2: there are 3 dies for 2 rows of links"},
        {"# GCD: 0 2\n", "file:1: dies are numbered from 0 on: '2' is not 1"},
        {"# GCD: 0 1 ; PCI bus c1\n0 0\n0 0\n", "file:1: there are 1 PCI buses for 2 rows"},
        {"# GCD: 0 1 ; NUMA 0 1 2\n0 0\n0 0\n", "file:1: there are 3 NUMA nodes for 2 rows"},
        {"# GCD: 0 1 ; PCI bus c1 C1\n", "file:1: two dies have the PCI address 0000:c1:00.0"},
        {"# GCD: 0 1 ; PCI bus c1 0000:c1:00.8\n", "is neither a PCI bus (c1) nor a PCI address"},
        {"# GCD: 0 1 ; PCI bus c1 1c1\n", "'1c1' is neither a PCI bus (c1) nor"},
        {"# GCD: 0 1 ; NUMA a b\n", "file:1: 'a' is not a NUMA node from 0"},
        {"# GCD: 0 1 ; weather fine\n", "file:1: 'weather fine' is none of"},
        {"# GCD: 0\n# GCD: 0\n", "file:2: the places of dies are given twice"},
    };
    for (const auto &[text, reason] : wrong) {
        EXPECT_NE(refusal(text).find(reason), std::string::npos)
            << text << "\n"
            << refusal(text) << "\nnot " << reason;
    }
}

TEST(DieLinks, AnotherSourceAddsWhereDiesAreOrContradicts)
{
    const auto gpus = [] {
        std::vector<Gpu> gpus;
        const std::vector<int> numa{3, 3, 1, 1, 0, 0, 2, 2};
        const std::vector<std::uint32_t> buses{0xc1, 0xc6, 0xc9, 0xce, 0xd1, 0xd6, 0xd9, 0xde};
        for (std::size_t die = buses.size(); die-- > 0;) { // in whichever order
            gpus.push_back({{0, buses[die], 0, 0}, numa[die]});
        }
        return gpus;
    }();
    const auto reason = [](std::vector<Gpu> told, DieTable table) -> std::string {
        try {
            add_gpus(std::move(told), table);
        } catch (const std::invalid_argument &error) {
            return error.what();
        }
        return "";
    };
    DieTable table = read(kMi250x);
    EXPECT_EQ(reason(gpus, table), "");
    DieTable bare = table;
    bare.pci.clear();
    bare.numa.clear();
    add_gpus(gpus, bare);
    EXPECT_EQ(bare.pci, table.pci);
    EXPECT_EQ(bare.numa, table.numa);

    std::vector<Gpu> fewer(gpus.begin() + 1, gpus.end());
    EXPECT_EQ(reason(fewer, table), "it has 7 GPUs, the table of links 8 dies");
    std::vector<Gpu> elsewhere = gpus;
    elsewhere.back().pci.bus = 0xc2;
    EXPECT_EQ(reason(elsewhere, table), "it has no GPU with the PCI address 0000:c1:00.0, where "
                                        "die 0 of the table of links is");
    std::vector<Gpu> near_another = gpus;
    near_another.back().numa = 0;
    EXPECT_EQ(reason(near_another, table), "the GPU with the PCI address 0000:c1:00.0 is next to "
                                           "NUMA node 0, die 0 of the table of links to 3");
    std::vector<Gpu> twice = gpus;
    twice[0].pci = twice[1].pci;
    bare.pci.clear();
    EXPECT_EQ(reason(twice, bare), "two dies have the PCI address 0000:d9:00.0");
}

// If the ranks of a node do not all know the same of its dies, no rank uses its knowledge.
TEST(DieLinks, RanksOfANodeThatKnowDifferentDiesCountAsOnNone)
{
    std::vector<Place> places(5);
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        places[rank].node = rank < 2 ? 0 : 2;
        places[rank].domain(Level::gpu) = 1;
        places[rank].domain(Level::die) = static_cast<std::int16_t>(rank + 1);
    }
    EXPECT_TRUE(agree_on_dies(places, {7, 7, 9, 9, 9}).empty()) << "nodes may differ";
    EXPECT_EQ(places[1].domain(Level::die), 2);
    EXPECT_EQ(agree_on_dies(places, {7, 7, 9, 0, 9}), (std::unordered_set<std::int32_t>{2}));
    EXPECT_EQ(places[1].domain(Level::die), 2);
    for (const std::size_t rank : {2U, 3U, 4U}) {
        EXPECT_EQ(places[rank].domain(Level::die), kNoDomain);
        EXPECT_EQ(places[rank].domain(Level::gpu), kNoDomain);
    }
}

// ---- Through the C interface ----

class GlueDies : public ::testing::Test {
protected:
    // Pairs of dies joined by four links, without links between pairs.
    explicit GlueDies()
    {
        std::vector<int> table(std::size_t{kDies * kDies}, 0);
        std::vector<nbrhood_gpu> where;
        for (int die = 0; die < kDies; ++die) {
            table[static_cast<std::size_t>(die * kDies + (die ^ 1))] = 4;
            where.push_back(nbrhood_gpu{0, static_cast<std::uint32_t>(0x10 + die), 0, 0, -1});
        }
        links = nbrhood_die_links_create(kDies, table.data(), where.data(), why, sizeof why);
    }
    ~GlueDies() override { nbrhood_die_links_destroy(links); }

    // The reason why the nodes of a synthetic machine cannot have these links.
    std::string misfit(const char *text)
    {
        nbrhood_machine *machine = nbrhood_machine_create(text, why, sizeof why);
        const bool fits = nbrhood_die_links_fit(links, machine, why, sizeof why);
        EXPECT_EQ(fits, why[0] == '\0');
        nbrhood_machine_destroy(machine);
        return why;
    }

    static constexpr int kDies = 4;
    nbrhood_die_links *links = nullptr;
    char why[256] = "";
};

TEST_F(GlueDies, SlotsOfANodeAreDealtOutToDiesInTurn)
{
    ASSERT_NE(links, nullptr) << why;
    for (int slot = 0; slot < 10; ++slot) {
        nbrhood_place place{3, {1, 1, 1, NBRHOOD_NO_DOMAIN, NBRHOOD_NO_DOMAIN}};
        nbrhood_die_links_put(links, slot, &place);
        EXPECT_EQ(place.domains[NBRHOOD_REGION_DIE - 1], slot % 4 + 1);
        EXPECT_EQ(place.domains[NBRHOOD_REGION_GPU - 1], slot % 4 / 2 + 1);
        EXPECT_EQ(place.domains[NBRHOOD_REGION_NUMA - 1], 1);
        EXPECT_EQ(place.domains[NBRHOOD_REGION_L3 - 1], 1);
    }
    // A machine with dies of its own keeps them.
    nbrhood_place place{0, {0, 0, 0, 2, 3}};
    nbrhood_die_links_put(links, 0, &place);
    EXPECT_EQ(place.domains[NBRHOOD_REGION_DIE - 1], 3);
    const nbrhood_gpu there{0, 0x12, 0, 0, 7};
    const nbrhood_gpu elsewhere{0, 0x12, 0, 1, 7};
    EXPECT_EQ(nbrhood_die_links_find(links, &there), 2);
    EXPECT_EQ(nbrhood_die_links_find(links, &elsewhere), -1);
}

TEST_F(GlueDies, ASyntheticMachineWithDiesMustHaveTheSame)
{
    EXPECT_EQ(misfit("node:2 core:8"), "");
    EXPECT_EQ(misfit("node:2 socket:2 core:3"), "");
    EXPECT_EQ(misfit("node:2 gpu:2 die:2 core:1"), "");
    EXPECT_EQ(misfit("node:2 gpu:2 die:2 core:3"), "");
    EXPECT_EQ(misfit("node:2 gpu:2 core:2"), "");
    EXPECT_EQ(misfit("node:2 die:4 core:2"), "");
    EXPECT_EQ(misfit("node:2 gpu:4 die:1 core:1"),
              "slot 1 of a node is on GPU 1, and on die 1, which the file has in package 0");
    EXPECT_EQ(misfit("node:1 die:8"), "a node has 8 dies, and in the file 4");
    EXPECT_EQ(misfit("node:1 die:2"), "a node has 2 dies, and in the file 4");
    EXPECT_EQ(misfit("node:1 gpu:1 core:2"), "a node has 1 GPUs, and in the file 2");
}

TEST_F(GlueDies, WhatIsWrongIsTold)
{
    const int lopsided[] = {0, 1, 2, 0};
    const nbrhood_gpu where[] = {{0, 1, 0, 0, 0}, {0, 2, 0, 0, 0}};
    EXPECT_EQ(nbrhood_die_links_create(2, lopsided, where, why, sizeof why), nullptr);
    EXPECT_NE(std::string(why).find("links to die 0"), std::string::npos) << why;
    EXPECT_EQ(nbrhood_die_links_read("/dev/null", why, sizeof why), nullptr);
    EXPECT_NE(std::string(why).find("/dev/null: "), std::string::npos) << why;
    EXPECT_EQ(nbrhood_die_links_read("/no/such/file", why, sizeof why), nullptr);
    std::size_t length = 0;
    EXPECT_EQ(nbrhood_read_file("/no/such/file", &length, why, sizeof why), nullptr);
    char text[512];
    length = nbrhood_die_links_write(links, text, sizeof text);
    EXPECT_EQ(length, std::string(text).size());
    EXPECT_EQ(std::string(text).substr(0, 10), "# GCD: 0 1");
}

} // namespace
} // namespace nbrhood::test
