// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What it costs to move bytes between GPU dies and between their nodes: assumptions, all of them
// named.
#pragma once

#include <string>
#include <vector>

namespace nbrhood {

// Rates in bytes per second, of one direction; 0: no limit. "The paper" is Temucin, Gazimirsaeed,
// Grant, Afsahi, "ROCm-Aware Leader-based Designs for MPI Neighbourhood Collectives".
struct DieCosts {
    // Of one Infinity Fabric link; several between two dies add up. 200 GiB/s are those of the four
    // in a package (the paper, section II-C).
    double link = 50.0 * (1 << 30);
    // The part of it that transfers reach: 70 % with a copy kernel, 142 GiB/s in a package and 38
    // over one link (sections II-C and III).
    double share = 0.7;
    // The most that one transfer between dies reaches; copy engines: 50 GiB/s (section II-C). The
    // paper takes copy kernels, which have no such limit.
    double transfer = 0;
    // What a die reads and writes of its own memory, of messages that do not leave it: half of the
    // 1.6 TB/s of an MI250X die.
    double memory = 800e9;
    // Between a die and the host: of messages to dies that no links reach. 36 GB/s of an MI250X
    // node.
    double host = 36e9;
    // Network adapters of a node, and the rate of each. Their ways to the dies are left out.
    double adapters = 1;
    double adapter = 25e9;
    // What one rank sends, and receives, through the network; limits that are its processor's.
    double rank = 0;
    // Seconds from the start of a message until its first byte moves, in a node and between nodes.
    double latency = 10e-6;
    double network_latency = 5e-6;
    // Messages of more bytes are agreed on first: that adds a way there and back.
    double eager = 128 << 10;
    // Seconds of a rank for each message that it starts, one after the other.
    double overhead = 1e-6;
};

// The paper's cluster A: nodes of MI250, each with a ConnectX-6 adapter, of 200 Gbit/s as is
// assumed here. The eager threshold follows from section VI-C: blocks of 256 and 512 KiB gain more
// because their parts, up to four, fall below it.
DieCosts cluster_a_costs();

// Its cluster B: nodes as Frontier's, with four Slingshot adapters of 25 GB/s, used by UCX over
// TCP: a rank's one thread copies what it sends and receives, at 2.5 GB/s as is assumed here, with
// a latency of 30 us.
DieCosts cluster_b_costs();

// Sets what "NAME=VALUE" says; names are those of the members, values as numbers are written in C.
// Throws std::invalid_argument with a message for the user.
void set_die_cost(DieCosts &costs, const std::string &text);

// "link=53687091200 share=0.7 ...": all of them, each as set_die_cost() takes it.
std::string die_costs_text(const DieCosts &costs);

} // namespace nbrhood
