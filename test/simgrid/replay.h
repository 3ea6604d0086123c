// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A call replayed in SimGrid: the assumptions of ompi/tools/analysis/evaluation.h in the hands of
// another simulator, which knows nothing of that code.
#pragma once

#include "analysis/flow.h"
#include "select/costs.h"
#include "analysis/evaluation.h"

namespace nbrhood::test {

// Seconds until the last rank is done, in SimGrid (Casanova et al. 2014, S4U interface). Nodes are
// hosts with their cores, ranks are actors, and each node has a link out and a link in of
// 1 / injection_byte bytes per second. Messages on a link share it fairly, all at once, where
// evaluate() has them pass one after the other; besides that the assumptions are the same:
//   - what a message costs its two ends is executed there, one message after the other; its bytes
//     flow from the time at which the source begins with it, and it is there `phase_latency` (the
//     latency of the links) after both the source and the bytes are through;
//   - where the ranks of any node outnumber its cores, an actor must have one of the node's cores
//     to execute anything: SimGrid itself would let all of them advance slowly at once, at no cost.
//     An actor waits for a core in line, keeps it while it has something to do, prefers the one it
//     had, and executes `phase_latency` first on one that another rank had; links have no latency
//     then.
// Used by the tests. A child process does it, because SimGrid has one engine for each process.
// Throws std::runtime_error where that fails.
double replay(const Flow &flow, const Cluster &cluster, const Costs &costs);

} // namespace nbrhood::test
