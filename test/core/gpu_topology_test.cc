// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The files that nbrhood-explain reads about the GPU dies of a node: a table of links, with hwloc's
// XML.
#include <gtest/gtest.h>

#include <hwloc.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "common/error.h"
#include "machine/die_links_file.h"
#include "nbrhood-explain/gpu_topology.h"
#include "nbrhood-explain/machine_input.h"
#include "scratch_directory.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::explain::describe_machine;
using nbrhood_tools::explain::DescribedMachine;
using nbrhood_tools::explain::MachineOptions;
using nbrhood_tools::explain::read_gpu_topology;

// Two packages of two dies.
constexpr const char *kRows = "0 4 1 0\n4 0 0 1\n1 0 0 4\n0 1 4 0\n";

class GpuTopology : public ::testing::Test {
protected:
    std::string path(const std::string &name) const { return scratch_.file(name); }

    std::string table(const std::string &comment = "")
    {
        std::ofstream(path("links")) << comment << kRows;
        return path("links");
    }

    // hwloc's XML of two sockets with a NUMA node each, with such devices attached to the sockets.
    std::string xml(const std::vector<std::string> &devices_of_sockets)
    {
        hwloc_topology_t made = nullptr;
        EXPECT_EQ(hwloc_topology_init(&made), 0);
        EXPECT_EQ(hwloc_topology_set_synthetic(made, "package:2 [numa] core:1 pu:1"), 0);
        EXPECT_EQ(hwloc_topology_load(made), 0);
        char *text = nullptr;
        int length = 0;
        EXPECT_EQ(hwloc_topology_export_xmlbuffer(made, &text, &length, 0), 0);
        std::istringstream in(text);
        hwloc_free_xmlbuffer(made, text);
        hwloc_topology_destroy(made);
        std::ofstream out(path("node.xml"));
        std::size_t socket = 0;
        for (std::string line; std::getline(in, line);) {
            if (line == "    </object>" && socket < devices_of_sockets.size()) {
                out << "<object type=\"Bridge\" gp_index=\"" << 1000 + socket
                    << "\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[00-ff]\">\n"
                    << devices_of_sockets[socket] << "</object>\n";
                ++socket;
            }
            out << line << '\n';
        }
        return path("node.xml");
    }

    // An AMD device on a bus, with this PCI class.
    static std::string device(const std::string &bus, const std::string &kind = "0380",
                              const std::string &name = "")
    {
        static int number = 2000;
        const std::string first = std::to_string(++number);
        const std::string second = std::to_string(++number);
        return "<object type=\"PCIDev\" gp_index=\"" + first + "\" pci_busid=\"0000:" + bus
               + ":00.0\" pci_type=\"" + kind
               + " [1002:7408] [1002:0b0c] 00\" pci_link_speed=\"0\">"
               + (name.empty() ? ""
                               : "<object type=\"OSDev\" gp_index=\"" + second + "\" name=\"" + name
                                     + "\" osdev_type=\"1\"/>")
               + "</object>\n";
    }

    static std::string refusal(const std::function<void()> &reads)
    {
        try {
            reads();
        } catch (const nbrhood_tools::InputError &error) {
            const std::string what = error.what();
            const std::size_t colon = what.find(": ");
            return what.substr(colon + 2);
        }
        return "";
    }

    ScratchDirectory scratch_;
};

std::vector<int> domains(const DescribedMachine &machine, Level level)
{
    std::vector<int> domains;
    for (const Place &place : machine.places) {
        domains.push_back(place.domain(level));
    }
    return domains;
}

TEST_F(GpuTopology, RanksOfANodeArePutOnItsDiesInTurn)
{
    MachineOptions options;
    options.machine = "node:2 socket:2 core:3";
    options.gpu_topology = table();
    DescribedMachine machine = describe_machine(options);
    EXPECT_EQ(domains(machine, Level::die), (std::vector<int>{1, 2, 3, 4, 1, 2, 1, 2, 3, 4, 1, 2}));
    EXPECT_EQ(domains(machine, Level::gpu), (std::vector<int>{1, 1, 2, 2, 1, 1, 1, 1, 2, 2, 1, 1}));
    EXPECT_EQ(machine.dies.links.dies(), 4);

    options.placement = Placement::by_node;
    options.ranks = 5;
    EXPECT_EQ(domains(describe_machine(options), Level::die), (std::vector<int>{1, 1, 2, 2, 3}));

    options = MachineOptions();
    options.machine = "node:1 gpu:2 die:2 core:2";
    options.gpu_topology = table();
    EXPECT_EQ(domains(describe_machine(options), Level::die),
              (std::vector<int>{1, 1, 2, 2, 3, 3, 4, 4}));
    options.machine = "node:1 gpu:4 die:1 core:2";
    EXPECT_NE(refusal([&] { describe_machine(options); }).find("does not fit --machine"),
              std::string::npos);
}

TEST_F(GpuTopology, HwlocTellsWhereDiesAre)
{
    const std::string gpus =
        xml({device("c1") + device("c6") + device("02", "0300"), device("d1") + device("d6")});
    const DieTable read = read_gpu_topology(table() + "," + gpus, "");
    ASSERT_EQ(read.pci.size(), 4U);
    EXPECT_EQ(read.pci[2].text(), "0000:d1:00.0");
    EXPECT_EQ(read.numa, (std::vector<int>{0, 0, 1, 1}));
    const std::string places = "# GCD: 0 1 2 3 ; PCI bus d1 d6 c6 c1 ; NUMA 1 1 0 0\n";
    EXPECT_EQ(read_gpu_topology(table(places) + "," + gpus, "").numa,
              (std::vector<int>{1, 1, 0, 0}));
    const std::string text = nbrhood_tools::explain::gpu_topology_text(read);
    EXPECT_NE(text.find("\n# hops:\n#\t0\t1\t1\t2\n"), std::string::npos) << text;
    std::istringstream in(text);
    EXPECT_EQ(read_die_table(in, "shown").links.hash(), read.links.hash());
}

TEST_F(GpuTopology, DevicesThatRocmSmiNamesAreTheGpus)
{
    const std::string gpus = xml({device("c1", "0380", "rsmi0") + device("c5", "0380"),
                                  device("c6", "0380", "rsmi1") + device("d1", "1200", "rsmi2")
                                      + device("d6", "0380", "rsmi3")});
    EXPECT_EQ(read_gpu_topology(table() + "," + gpus, "").numa, (std::vector<int>{0, 1, 1, 1}));
}

TEST_F(GpuTopology, WhatContradictsTheTableIsRefused)
{
    const auto reason = [&](const std::string &comment, const std::string &file) {
        return refusal([&] { (void) read_gpu_topology(table(comment) + "," + file, ""); });
    };
    const std::string gpus = xml({device("c1") + device("c6"), device("d1") + device("d6")});
    EXPECT_EQ(reason("", gpus), "");
    EXPECT_EQ(
        reason("# GCD: 0 1 2 3 ; NUMA 0 0 1 0\n", gpus),
        "the GPU with the PCI address 0000:d6:00.0 is next to NUMA node 1, die 3 of the table "
        "of links to 0");
    EXPECT_EQ(reason("# GCD: 0 1 2 3 ; PCI bus c1 c6 d1 d7\n", gpus),
              "it has no GPU with the PCI address 0000:d7:00.0, where die 3 of the table of links "
              "is");
    EXPECT_EQ(reason("", xml({device("c1")})), "it has 1 GPUs, the table of links 4 dies");
    EXPECT_EQ(reason("", path("none")), "No such file or directory");
    std::ofstream(path("node.xml")) << "<topology>";
    EXPECT_EQ(reason("", path("node.xml")), "hwloc cannot read it as a topology in XML format");
    std::ofstream(path("node.xml")).close();
    EXPECT_EQ(reason("", path("node.xml")), "hwloc cannot read it as a topology in XML format");
}

} // namespace
} // namespace nbrhood::test
