// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The costs of moving bytes between GPU dies and between their nodes: assumptions, each with a
// name.
#pragma once

#include <string>
#include <vector>

namespace nbrhood {

// Rates in bytes per second, of one direction; 0: no limit. "The paper" is Temucin, Gazimirsaeed,
// Grant, Afsahi, "ROCm-Aware Leader-based Designs for MPI Neighbourhood Collectives".
struct DieCosts {
    // Rate of one Infinity Fabric link; the rates of several links between two dies add up. The
    // four links in a package have 200 GiB/s (the paper, section II-C).
    double link = 50.0 * (1 << 30);
    // The part of this rate that transfers reach: 70 % with a copy kernel, 142 GiB/s in a package
    // and 38 over one link (sections II-C and III).
    double share = 0.7;
    // The greatest rate of one transfer between dies; copy engines: 50 GiB/s (section II-C). The
    // paper uses copy kernels, which have no such limit.
    double transfer = 0;
    // The rate at which a die reads and writes its own memory for messages that do not leave it:
    // half of the 1.6 TB/s of an MI250X die.
    double memory = 800e9;
    // Rate between a die and the host, for messages to dies that no links reach. 36 GB/s on an
    // MI250X node.
    double host = 36e9;
    // Network adapters of a node, and the rate of each. The links from the adapters to the dies are
    // not modelled.
    double adapters = 1;
    double adapter = 25e9;
    // The rates at which one rank sends, and receives, through the network; its processor limits
    // them.
    double rank = 0;
    // Seconds from the start of a message until its first byte moves, in a node and between nodes.
    double latency = 10e-6;
    double network_latency = 5e-6;
    // Longer messages use a rendezvous, which adds a round trip.
    double eager = 128 << 10;
    // Seconds that a rank takes to start a message; it starts one after the other.
    double overhead = 1e-6;
};

// The paper's cluster A: nodes with MI250, each with a ConnectX-6 adapter, assumed to have 200
// Gbit/s. The eager threshold follows from section VI-C: blocks of 256 and 512 KiB gain more
// because their parts, up to four, fall below the threshold.
DieCosts cluster_a_costs();

// The paper's cluster B: nodes like Frontier's, with four Slingshot adapters of 25 GB/s, used by
// UCX over TCP. The one thread of a rank copies all data that it sends and receives, at an assumed
// 2.5 GB/s, with a latency of 30 us.
DieCosts cluster_b_costs();

// Sets a cost from "NAME=VALUE"; names are those of the members, values are numbers as in C. Throws
// std::invalid_argument with a message for the user.
void set_die_cost(DieCosts &costs, const std::string &text);

// "link=53687091200 share=0.7 ...": all costs, each in the form that set_die_cost() takes.
std::string die_costs_text(const DieCosts &costs);

} // namespace nbrhood
