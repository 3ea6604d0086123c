// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Descriptions of machines for nbrhood-explain: a line, hwloc's XML, a hostfile.
#include <gtest/gtest.h>

#include <hwloc.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "nbrhood-explain/machine_input.h"
#include "scratch_directory.h"

namespace nbrhood::test {
namespace {

using nbrhood_tools::InputError;
using nbrhood_tools::OptionError;
using nbrhood_tools::explain::describe_machine;
using nbrhood_tools::explain::DescribedMachine;
using nbrhood_tools::explain::MachineOptions;
using Numbers = std::vector<std::int32_t>;

class MachineInput : public testing::Test {
protected:
    std::string path(const std::string &name) const { return scratch_.file(name); }

    // The options that name a hostfile with this text.
    MachineOptions hostfile(const std::string &text) const
    {
        std::ofstream(path("hosts")) << text;
        MachineOptions options;
        options.hostfile = path("hosts");
        return options;
    }

    // The options for `nodes` nodes like hwloc's synthetic topology of this description.
    MachineOptions topology(const char *description, int nodes) const
    {
        hwloc_topology_t made = nullptr;
        EXPECT_EQ(hwloc_topology_init(&made), 0);
        EXPECT_EQ(hwloc_topology_set_synthetic(made, description), 0);
        EXPECT_EQ(hwloc_topology_load(made), 0);
        EXPECT_EQ(hwloc_topology_export_xml(made, path("node.xml").c_str(), 0), 0);
        hwloc_topology_destroy(made);
        MachineOptions options;
        options.topology_file = path("node.xml");
        options.nodes = nodes;
        return options;
    }

    // The reason why the description is refused, "" if it is accepted. Files are named without
    // their directory.
    template <typename Error>
    std::string refusal(const MachineOptions &options) const
    {
        try {
            describe_machine(options);
        } catch (const Error &error) {
            std::string what = error.what();
            const std::size_t at = what.find(scratch_.file(""));
            return at == std::string::npos ? what : what.erase(at, scratch_.file("").size());
        }
        return "";
    }

    ScratchDirectory scratch_;
};

MachineOptions in_a_line(const char *text)
{
    MachineOptions options;
    options.machine = text;
    return options;
}

Numbers nodes_of(const DescribedMachine &machine)
{
    Numbers nodes;
    for (const Place &place : machine.places) {
        nodes.push_back(place.node);
    }
    return nodes;
}

Numbers domains_of(const DescribedMachine &machine, Level level)
{
    Numbers domains;
    for (const Place &place : machine.places) {
        domains.push_back(place.domain(level));
    }
    return domains;
}

Numbers sockets_of(const DescribedMachine &machine)
{
    return domains_of(machine, Level::socket);
}

Numbers numas_of(const DescribedMachine &machine)
{
    return domains_of(machine, Level::numa);
}

Numbers l3s_of(const DescribedMachine &machine)
{
    return domains_of(machine, Level::l3);
}

TEST_F(MachineInput, RanksFillCoreAfterCore)
{
    const DescribedMachine machine = describe_machine(in_a_line("node:2 socket:2 numa:2 core:1"));
    EXPECT_EQ(nodes_of(machine), (Numbers{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(machine.rank_cores, (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
    EXPECT_EQ(sockets_of(machine), (Numbers{1, 1, 2, 2, 1, 1, 2, 2}));
    EXPECT_EQ(numas_of(machine), (Numbers{1, 2, 3, 4, 1, 2, 3, 4}));
    EXPECT_EQ(machine.cores, (std::vector<int>{4, 4}));
    EXPECT_EQ(machine.names, (std::vector<std::string>{"node0", "node1"}));
}

// The component asks SyntheticMachine; the tool must agree with it.
TEST_F(MachineInput, SlotsAreThoseOfASyntheticMachine)
{
    const char *const text = "node:3 numa:2 socket:3 gpu:2 die:2 core:4";
    const SyntheticMachine synthetic(text);
    const DescribedMachine machine = describe_machine(in_a_line(text));
    ASSERT_EQ(machine.places.size(), static_cast<std::size_t>(synthetic.slots()));
    for (Rank rank = 0; rank < synthetic.slots(); ++rank) {
        const Place &place = machine.places[static_cast<std::size_t>(rank)];
        ASSERT_EQ(place.node, synthetic.place(rank).node) << rank;
        ASSERT_EQ(place.domains, synthetic.place(rank).domains) << rank;
    }
}

TEST_F(MachineInput, FewerRanksThanSlots)
{
    MachineOptions options = in_a_line("node:3 core:4");
    options.ranks = 6;
    EXPECT_EQ(nodes_of(describe_machine(options)), (Numbers{0, 0, 0, 0, 1, 1}));
    EXPECT_EQ(describe_machine(options).cores.size(), 3U) << "a node without ranks stays";
    options.placement = Placement::by_node;
    const DescribedMachine machine = describe_machine(options);
    EXPECT_EQ(nodes_of(machine), (Numbers{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(machine.rank_cores, (Numbers{0, 0, 0, 1, 1, 1}));
    options.ranks = 0;
    options.ranks_per_node = 1;
    EXPECT_EQ(nodes_of(describe_machine(options)), (Numbers{0, 1, 2}));
}

TEST_F(MachineInput, MoreRanksThanCores)
{
    MachineOptions options = in_a_line("node:1 socket:2 core:2");
    options.ranks_per_node = 6;
    const DescribedMachine machine = describe_machine(options);
    EXPECT_EQ(machine.rank_cores, (Numbers{0, 0, 1, 2, 2, 3}));
    EXPECT_EQ(sockets_of(machine), (Numbers{1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(machine.cores, (std::vector<int>{4}));
    // The actual number of ranks counts, not the greatest possible one.
    options.ranks = 4;
    EXPECT_EQ(describe_machine(options).rank_cores, (Numbers{0, 1, 2, 3}));
}

TEST_F(MachineInput, HostfilesOfUnevenNodes)
{
    MachineOptions options = hostfile("# a comment\n"
                                      "\n"
                                      "fat slots=4 max_slots=8 sockets=2 cores=2  # another\n"
                                      "me@thin.site.org\tslots = 1 port=22\r\n"
                                      "  oversubscribed count=3 cores=2 // and another\n");
    const DescribedMachine machine = describe_machine(options);
    EXPECT_EQ(machine.names, (std::vector<std::string>{"fat", "thin.site.org", "oversubscribed"}));
    EXPECT_EQ(machine.cores, (std::vector<int>{4, 1, 2}));
    EXPECT_EQ(nodes_of(machine), (Numbers{0, 0, 0, 0, 1, 2, 2, 2}));
    EXPECT_EQ(machine.rank_cores, (Numbers{0, 1, 2, 3, 0, 0, 0, 1}));
    EXPECT_EQ(sockets_of(machine), (Numbers{1, 1, 2, 2, 0, 0, 0, 0}));
    EXPECT_EQ(numas_of(machine), Numbers(8, 0));

    options.placement = Placement::by_node;
    EXPECT_EQ(nodes_of(describe_machine(options)), (Numbers{0, 1, 2, 0, 2, 0, 2, 0}));
    options.ranks_per_node = 2;
    EXPECT_EQ(nodes_of(describe_machine(options)), (Numbers{0, 1, 2, 0, 1, 2}));
}

TEST_F(MachineInput, HostsThatSayLittle)
{
    const DescribedMachine machine = describe_machine(hostfile("one\n"
                                                               "most max-slots=2\n"
                                                               "twice\n"
                                                               "cores sockets=2 cores=2\n"
                                                               "uneven slots=3 sockets=2\n"
                                                               "twice\n"
                                                               "twice"));
    EXPECT_EQ(nodes_of(machine), (Numbers{0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4}));
    EXPECT_EQ(machine.cores, (std::vector<int>{1, 2, 3, 4, 3}));
    const Numbers sockets = sockets_of(machine);
    EXPECT_EQ(Numbers(sockets.end() - 3, sockets.end()), (Numbers{1, 1, 2}));
}

TEST_F(MachineInput, TopologiesOfHwloc)
{
    // Two hardware threads on each core do not make more slots.
    MachineOptions options = topology("package:2 numa:2 core:2 pu:2", 2);
    const DescribedMachine machine = describe_machine(options);
    EXPECT_EQ(nodes_of(machine), (Numbers{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(machine.cores, (std::vector<int>{8, 8}));
    EXPECT_EQ(sockets_of(machine), (Numbers{1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_EQ(numas_of(machine), (Numbers{1, 1, 2, 2, 3, 3, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4}));

    options.ranks_per_node = 4;
    EXPECT_EQ(numas_of(describe_machine(options)), (Numbers{1, 1, 2, 2, 1, 1, 2, 2}));
}

// L3 caches as in an EPYC, several in a socket, and as in a clustered Xeon, several NUMA domains in
// one.
TEST_F(MachineInput, L3CachesOfTopologies)
{
    const DescribedMachine epyc =
        describe_machine(topology("package:2 numa:2 l3:2 core:2 pu:2", 1));
    EXPECT_EQ(l3s_of(epyc), (Numbers{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8}));
    EXPECT_EQ(numas_of(epyc), (Numbers{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}));
    EXPECT_EQ(Machine(epyc.places, Level::l3).regions(), 8);
    const DescribedMachine xeon =
        describe_machine(topology("package:2 l3:1 numa:2 core:2 pu:1", 1));
    EXPECT_EQ(l3s_of(xeon), sockets_of(xeon));
    EXPECT_EQ(numas_of(xeon), (Numbers{1, 1, 2, 2, 3, 3, 4, 4}));
    EXPECT_EQ(Machine(xeon.places).nearest_common_level(0, 2), Level::l3);
    EXPECT_EQ(l3s_of(describe_machine(topology("package:2 core:2 pu:1", 1))),
              Numbers(4, kNoDomain));
}

TEST_F(MachineInput, TopologiesWithoutSocketsOrCores)
{
    MachineOptions options = topology("numa:2 pu:3", 1);
    const DescribedMachine machine = describe_machine(options);
    EXPECT_EQ(machine.cores, (std::vector<int>{6}));
    EXPECT_EQ(numas_of(machine), (Numbers{1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(sockets_of(machine), Numbers(6, kNoDomain));
    EXPECT_EQ(Machine(machine.places, Level::socket).regions(), 1) << "the node is one region";
}

TEST_F(MachineInput, RefusesContradictions)
{
    MachineOptions options;
    EXPECT_EQ(refusal<OptionError>(options),
              "no machine: describe one with --machine, --hwloc or --hostfile");
    options.machine = "node:2 core:4";
    options.nodes = 2;
    EXPECT_EQ(refusal<OptionError>(options),
              "--nodes is for --hwloc only, which describes one node");
    options.nodes = 0;
    options.hostfile = "hosts";
    EXPECT_EQ(refusal<OptionError>(options),
              "--machine, --hwloc and --hostfile each describe a machine: give one");
    options.hostfile.clear();
    options.ranks = 9;
    EXPECT_EQ(refusal<OptionError>(options), "--ranks 9: the machine has room for 8; "
                                             "--ranks-per-node puts more on each node");
    options.ranks_per_node = 1 << 20;
    EXPECT_EQ(refusal<OptionError>(options),
              "the machine would hold 2097152 ranks, more than 1048576");
    EXPECT_EQ(refusal<OptionError>(in_a_line("node:16777216")),
              "--machine \"node:16777216\": more than 1048576 nodes");
    EXPECT_EQ(refusal<OptionError>(in_a_line("node:2 core:8388608")),
              "the machine would hold 16777216 ranks, more than 1048576");

    EXPECT_EQ(refusal<OptionError>(in_a_line("node:2 soket:2")),
              "--machine \"node:2 soket:2\": character 8: there is no level \"soket\"; levels are "
              "node, socket, numa, l3, gpu, die and core");
    options = MachineOptions{};
    options.topology_file = "node.xml";
    EXPECT_EQ(refusal<OptionError>(options),
              "--hwloc describes one node: say with --nodes how many there are");
    options = hostfile("small\nlarge slots=2 max_slots=4\n");
    options.ranks_per_node = 5;
    EXPECT_EQ(refusal<InputError>(options),
              "hosts:2: large takes at most 4 ranks (max_slots), not the 5 of --ranks-per-node");
}

TEST_F(MachineInput, RefusesTopologiesItCannotRead)
{
    MachineOptions options;
    options.nodes = 2;
    options.topology_file = path("missing.xml");
    EXPECT_EQ(refusal<InputError>(options), "missing.xml: No such file or directory");
    options.topology_file = path("");
    EXPECT_EQ(refusal<InputError>(options), ": Is a directory");
    options.topology_file = path("bad.xml");
    std::ofstream(options.topology_file).close();
    EXPECT_EQ(refusal<InputError>(options), "bad.xml: it is empty");
    testing::internal::CaptureStderr();
    for (const char *text : {"not XML", "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n",
                             "<?xml version=\"1.0\"?>\n<html><body/></html>\n"}) {
        std::ofstream(options.topology_file) << text;
        EXPECT_EQ(refusal<InputError>(options),
                  "bad.xml: hwloc cannot read it as a topology in XML format")
            << text;
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "one message is enough";
}

TEST_F(MachineInput, RefusesFilesThatHaveNoEnd)
{
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    MachineOptions options;
    options.hostfile = path("pipe");
    EXPECT_EQ(refusal<InputError>(options), "pipe: is not a regular file");
    options.hostfile = "/dev/zero";
    EXPECT_EQ(refusal<InputError>(options), "/dev/zero: is not a regular file");
    options.hostfile.clear();
    options.nodes = 1;
    options.topology_file = path("pipe");
    EXPECT_EQ(refusal<InputError>(options), "pipe: is not a regular file");
    options.topology_file = path("huge");
    std::ofstream(options.topology_file).close();
    std::filesystem::resize_file(options.topology_file, std::uintmax_t{1} << 40);
    EXPECT_EQ(refusal<InputError>(options),
              "huge: has more than 16777216 bytes, the most that is read of such a file");
}

// Hosts that exceed the bound on cores or slots only together.
TEST_F(MachineInput, RefusesHostfilesOfMachinesThatAreTooLarge)
{
    std::string hosts;
    for (int host = 0; host < 17; ++host) {
        hosts += "n" + std::to_string(host) + " slots=1 sockets=1024 cores=1024\n";
    }
    EXPECT_EQ(refusal<InputError>(hostfile(hosts)),
              "hosts:17: the hosts have 17825792 cores up to here, more than 16777216");
    EXPECT_EQ(refusal<InputError>(hostfile("a slots=1048576\n\nb")),
              "hosts:3: the hosts have 1048577 slots up to here, more than 1048576");
    EXPECT_EQ(refusal<InputError>(hostfile("a slots=1048576\na")),
              "hosts:2: the hosts have 1048577 slots up to here, more than 1048576");
}

// hwloc accepts these files: a machine with memory directly attached, and one with a socket without
// cores.
TEST_F(MachineInput, RefusesTopologiesWithoutACore)
{
    const std::string machine =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"2.0\">"
        "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\""
        " allowed_cpuset=\"0xf\" nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\""
        " gp_index=\"1\"><object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\""
        " complete_cpuset=\"0xf\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"2\""
        " local_memory=\"1073741824\"/>";
    const std::string socket =
        "<object type=\"Package\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\""
        " nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"3\"/>";
    MachineOptions options;
    options.nodes = 2;
    options.topology_file = path("node.xml");
    for (const std::string &inside : {std::string(), socket}) {
        std::ofstream(options.topology_file) << machine + inside + "</object></topology>\n";
        EXPECT_EQ(refusal<InputError>(options),
                  "node.xml: describes a node without a core to run on");
    }
}

struct Refused {
    const char *text;
    const char *reason;
};

class HostfileRefuses : public MachineInput, public testing::WithParamInterface<Refused> {};

TEST_P(HostfileRefuses, WithLineAndReason)
{
    EXPECT_EQ(refusal<InputError>(hostfile(GetParam().text)), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    , HostfileRefuses,
    testing::Values(
        Refused{"", "hosts: there is no host in it"},
        Refused{"# nothing\n", "hosts: there is no host in it"},
        Refused{"a slots=0", "hosts:1: slots= wants a number from 1 to 1048576, not '0'"},
        Refused{"a\nb slots=-4", "hosts:2: slots= wants a number from 1 to 1048576, not '-4'"},
        Refused{"a max_slots=4x", "hosts:1: max_slots= wants a number from 1 to 1048576, not '4x'"},
        Refused{"a slots", "hosts:1: nothing is said about slots; write slots=NUMBER"},
        Refused{"a slots=", "hosts:1: nothing is said about slots; write slots=NUMBER"},
        Refused{"a slots=4 slots=4", "hosts:1: slots= stands there twice"},
        Refused{"a 4", "hosts:1: unknown word '4'; there are slots=, max_slots=, sockets= and "
                       "cores="},
        Refused{"a slots=4 boards=2", "hosts:1: unknown word 'boards'; there are slots=, "
                                      "max_slots=, sockets= and cores="},
        Refused{"a slots=4 max_slots=2", "hosts:1: max_slots=2 is less than slots=4"},
        Refused{"a sockets=65536 cores=65536",
                "hosts:1: a node would have more than 1048576 cores"},
        Refused{"\na slots=4\nb\na slots=2", "hosts:4: a is described on line 2 already"},
        Refused{"a max_slots=1\na", "hosts:2: a has max_slots=1 already, there is none to add"},
        Refused{"+n0 slots=4", "hosts:1: '+n0' names hosts of another list, which there is not"},
        Refused{"^a", "hosts:1: '^a' names hosts of another list, which there is not"},
        Refused{"slots=4", "hosts:1: the line begins with 'slots=', not with a host"},
        Refused{"{\"a\": 4}", "hosts:1: '{\"a\":' cannot be the name of a host"},
        Refused{"me@", "hosts:1: 'me@' cannot be the name of a host"}));

} // namespace
} // namespace nbrhood::test
