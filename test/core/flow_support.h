// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Costs, clusters and block sizes for the tests that put a time to the messages of a call.
#pragma once

#include <vector>

#include "algorithms/registry.h"
#include "analysis/flow.h"
#include "select/costs.h"
#include "analysis/evaluation.h"
#include "support.h"

namespace nbrhood::test {

// Random costs in no order, for properties that hold for all costs.
Costs random_costs(Random &random);

// The default costs and those of all files in the project's directory of costs.
std::vector<Costs> shipped_costs();

// The regions of a machine as nodes of this many cores, or with a core for each rank (0). All links
// inside a node have the same costs.
Costs make_costs(const LinkCosts &inside, const LinkCosts &network, double protocol_switch,
                 double injection_byte, double copy_byte, double phase);

Cluster cluster_of(const Machine &machine, int cores);

// A machine whose nodes have cores for all ranks, or fewer.
Cluster random_cluster(Random &random, const Machine &machine);

// Sizes that differ from block to block; some are empty. The same for the same seed.
BlockBytes random_bytes(std::uint64_t seed, std::uint64_t greatest);

// All blocks have the same size.
BlockBytes equal_bytes(std::uint64_t bytes);

// A graph, the places of its ranks, and the pattern and block sizes of an exchange, drawn together
// for tests of a property.
struct Case {
    Case(Random &random, int ranks);

    Graph graph;
    Machine machine;
    Tuning tuning;
    FlowLimits limits;
    BlockBytes bytes;
    Cluster cluster;
    Costs costs; // random, or one of shipped_costs()
    BlockKind kind;

    // The messages of the registry's row with this number.
    Flow flow(std::size_t algorithm) const;
};

} // namespace nbrhood::test
