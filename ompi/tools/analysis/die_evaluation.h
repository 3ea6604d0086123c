// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The time of a call between GPU dies: a fluid evaluation, in which messages share the links that
// they cross.
#pragma once

#include <vector>

#include "analysis/die_costs.h"
#include "analysis/die_routes.h"
#include "analysis/flow.h"

namespace nbrhood {

struct DieEvaluation {
    double seconds = 0;           // until the last message has arrived
    std::vector<double> finished; // by message of the flow
    // Lower bounds of the time, each from one bottleneck alone: the busiest links between two dies
    // in one direction, the busiest node's adapters (in or out), and the busiest rank if ranks have
    // a limit of their own in the network.
    double links = 0;
    double adapters = 0;
    double ranks = 0;
};

// Evaluates a call that all ranks start at once. A message starts when the messages that it waits
// for have arrived (Flow::feeds) and its source has started all earlier ones; its first byte moves
// after the latency. Until its last byte has moved it occupies all places of its route: inside a
// node the links of its route (DieRoutes), between nodes the adapters of both nodes and the network
// rates of both ranks. Messages share a place equally, and each is as fast as the narrowest place
// of its route; the rest of its share at other places stays unused. The result is the same on every
// machine and in every run. Throws std::invalid_argument if the cluster does not fit the flow, or
// messages wait for each other forever.
DieEvaluation evaluate(const Flow &flow, const DieCluster &cluster, const DieCosts &costs);

} // namespace nbrhood
