// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How long a call takes between GPU dies: a fluid evaluation, in which messages share the links
// that they pass.
#pragma once

#include <vector>

#include "analysis/die_costs.h"
#include "analysis/die_routes.h"
#include "analysis/flow.h"

namespace nbrhood {

struct DieEvaluation {
    double seconds = 0;           // until the last message is there
    std::vector<double> finished; // by message of the flow
    // How long the call would take at the least if only these were in its way: the busiest links
    // between two dies in one direction, the busiest node's adapters (in or out), the busiest rank
    // where ranks have a limit of their own in the network.
    double links = 0;
    double adapters = 0;
    double ranks = 0;
};

// Evaluates a call that all ranks start at once. A message starts when those that it waits for are
// there (Flow::feeds) and its source has started those before it, and moves its first byte after
// the latency. From then on it is, for its bytes, on all that it passes: in a node on the links of
// its way (DieRoutes), between nodes in the adapters of both, and in the network's share of both
// ranks. What several messages pass at the same time they share equally, and each is as fast as the
// narrowest place of its way lets it be; what it leaves of its share elsewhere nobody takes. The
// same result on every machine and in every run. Throws std::invalid_argument where the cluster
// does not fit the flow, or messages wait for each other forever.
DieEvaluation evaluate(const Flow &flow, const DieCluster &cluster, const DieCosts &costs);

} // namespace nbrhood
