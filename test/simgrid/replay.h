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
// 1 / injection_byte bytes per second. Messages on a link share it fairly, as in evaluate(). The
// other assumptions are also the same:
//   - the cost of a message at its two ends is executed there, one message after the other. Its
//     bytes flow from the time at which the source begins with it, and it arrives `phase_latency`
//     (the latency of the links) after both the source and the bytes are through;
//   - if the ranks of any node outnumber its cores, an actor must have one of the node's cores to
//     execute anything: SimGrid itself would let all of them advance slowly at once, at no cost. An
//     actor waits for a core in line, keeps it while it has work, prefers the one it had, and
//     executes `phase_latency` first on a core that another rank had; links then have no latency.
// Used by the tests. A child process runs SimGrid, because it has one engine for each process.
// Throws std::runtime_error if that fails.
double replay(const Flow &flow, const Cluster &cluster, const Costs &costs);

} // namespace nbrhood::test
