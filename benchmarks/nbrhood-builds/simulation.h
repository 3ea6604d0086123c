// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builds beside a program (build/component_build) of all ranks in one process, and their costs.
#pragma once

#include "analysis/build_network.h"
#include "machine/machine.h"
#include "pattern/pattern.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools::builds {

struct SimulationSettings {
    nbrhood::Collective collective = nbrhood::Collective::neighbor_alltoallv;
    int choice = nbrhood::kAuto;
    nbrhood::BuildNetwork::Order order = nbrhood::BuildNetwork::Order::by_round;
    std::int64_t most_bytes = std::int64_t{8} << 30; ///< of this process
    double most_seconds = 600;
};

/// The messages of the ranks on some of the channels.
struct Amounts {
    std::int64_t messages = 0;
    std::int64_t messages_of_busiest = 0; ///< sent
    std::int64_t bytes = 0;
    std::int64_t bytes_sent_by_busiest = 0;
    std::int64_t bytes_received_by_busiest = 0;
    int rounds = 0; ///< the longest chain of messages, each an answer to the one before
};

struct SimulationReport {
    std::string stopped; ///< the reason why the build did not end; then only the waves are complete
    Amounts waves;       ///< messages by which ranks find each other
    Amounts all;
    /// The most memory that any rank's build held at one time: its allocations, and its messages
    /// that were not yet received.
    std::int64_t bytes_held = 0;
    std::string found;  ///< the algorithm that serves the collective afterwards, by ranks
    double seconds = 0; ///< of the processor
};

/// Runs the builds of all ranks of a graph; all begin at once. For more ranks than the bounds of
/// the settings the ranks only find each other.
SimulationReport simulate(const std::vector<nbrhood::Neighbourhood> &graph,
                          const nbrhood::Machine &machine, const SimulationSettings &settings);

/// The greatest distance between two ranks of one component, estimated by two searches from end to
/// end of each component: exact in regular graphs and trees, and never less than half of the true
/// distance.
int greatest_distance(const std::vector<nbrhood::Neighbourhood> &graph);

} // namespace nbrhood_tools::builds
