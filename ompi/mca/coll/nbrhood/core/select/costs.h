// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Costs of communication on a machine: the parameters of the model by which `auto` decides, and the
// file that holds them.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "machine/machine.h"

namespace nbrhood {

// Messages over one link: seconds for each message and for each byte (postal model). Messages of
// more than Costs::protocol_switch bytes have parameters of their own, because MPI sends long
// messages by another protocol.
struct LinkCosts {
    double message = 0; // one message sent and one received
    double byte = 0;    // one byte sent and one received
    double long_message = 0;
    double long_byte = 0;
};

// All costs of a machine, in seconds unless said otherwise. They hold for a rank with a core of its
// own, while the ranks of all nodes exchange at the same time. If ranks outnumber the cores of
// their node, measured times are divided by the ranks per core, and a prediction multiplies by that
// number again. A prediction for an exchange in which every rank of a node takes part equally, and
// sends n messages of s bytes, is
//
//     max(1, ranks per core) * (phases * phase_latency + n * message + n * s * byte)
//
// Between nodes the last term is at least (ranks on the node) * n * s * injection_byte. This is the
// max-rate model (Gropp, Olson, Samfass: Modeling MPI Communication Performance on SMP Nodes, 2016)
// with separate parameters for each link, as in the locality-aware model (Bienz, Gautam, Kharel: A
// Locality-Aware Bruck Allgather, 2022, section 3, equation 2).
struct Costs {
    std::array<LinkCosts, kLinks> links; // by Link
    double protocol_switch = 0;          // bytes: the longest message of the first protocol
    double injection_byte = 0; // a byte that leaves a node; the ranks of the node share the rate
    double copy_byte = 0; // a byte that a rank copies in its own memory, when it packs or unpacks
    // One more dependent phase of an exchange: waiting for it and switching to it.
    double phase_latency = 0;
    std::string name; // of the machine or the source, for reports: one line without '#'

    LinkCosts &operator[](Link link) { return links[static_cast<std::size_t>(link)]; }
    const LinkCosts &operator[](Link link) const { return links[static_cast<std::size_t>(link)]; }
};

// Reads the file format: '#' starts a comment; the first line with anything else is "nbrhood_costs
// 2", then one line "NAME VALUE" for each cost, in any order, each once, and "name TEXT". The costs
// of a link begin with its name ("node_message"). A file may leave out all four costs of the
// socket, which then are those of the node, and all four of the die pair, which then are those of
// the socket. Called if a parameter names a file, and by the tests for the files of this project.
// Throws std::invalid_argument "FILE:LINE: reason" for a line that is not understood, a name that
// is unknown or given twice, and a value that is missing, not a number, negative or so large that
// the model would yield infinity; "FILE: reason" if a cost is missing at the end.
Costs read_costs(std::istream &in, const std::string &file);

// Opens and reads such a file. It must be a regular file of at most kMostCostsBytes, so that no
// file name makes a program wait or take memory without end. Throws as read_costs(), and
// std::invalid_argument "FILE: reason" if the file cannot be opened or read.
constexpr std::uint64_t kMostCostsBytes = 1 << 20;
Costs read_costs_file(const std::string &file);

// Writes the file format, so that read_costs() gives equal costs, and omits costs that may be left
// out. Called by nbrhood-calibrate, which writes its comments first. Throws std::invalid_argument
// if the file could not be read again: a number is negative, not finite or too large, or the name
// is empty or has '#' or line ends.
void write_costs(std::ostream &out, const Costs &costs);

// The costs used if the user names no file: of a cluster with an InfiniBand-class network, and of a
// cluster with TCP.
Costs default_costs();
Costs default_costs_of_tcp();

} // namespace nbrhood
