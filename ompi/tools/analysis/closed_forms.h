// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Closed formulas for the time of a call, from the messages of its pattern, and a lower bound for
// the time of any pattern.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/evaluation.h"
#include "analysis/lockstep.h"

namespace nbrhood {

// Seconds of the busiest rank in the model of Hockney (1994): alpha + beta * bytes for each
// message, with the costs between nodes for all messages; half for each end. `phase_latency` is
// added for each message of the longest chain. If ranks share cores, the mean over the ranks of a
// node times the ranks that share a core replaces the busiest rank's time if it is greater.
double hockney_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs);

// The same with the costs of the link that each message crosses (the postal model with local and
// non-local terms of Bienz, Gautam, Kharel: A Locality-Aware Bruck Allgather, 2022, section 3).
double postal_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs);

// postal_seconds() with the copies of packed messages, and at least the time that the bytes leaving
// or entering the busiest node take at the rate that its ranks share (max-rate model; Gropp, Olson,
// Samfass 2016).
double max_rate_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs);

// Seconds by which the component lengthens the creation of a communicator. They have two parts: the
// messages of the builders, by the formula of postal_seconds() with their rounds for the longest
// chain; and the sums over all ranks, each in 2 log2(ranks) rounds of a message between nodes. The
// sums are the survey, with the record of each rank for all others, and, if builders ran, the sum
// by which they agree. The processors' work on the graph is not included. For tools.
double creation_seconds(const Negotiation &negotiation, const Cluster &cluster, const Costs &costs);

// The least seconds in which blocks of `ranks` ranks can come together in one rank, whatever route
// they take. A rank takes `receive` for each message that it receives, and the sender of a message
// had its content `message` earlier. So at time t a rank has blocks of at most f(t) = f(t -
// receive) + f(t - message) ranks, and before the first message only its own.
double gathering_seconds(std::int64_t ranks, double receive, double message);

// Messages, bytes and time that every pattern needs if it sends each message straight from node to
// node.
struct LowerBound {
    std::int64_t messages = 0; // one for each ordered pair of nodes with an edge
    std::int64_t bytes = 0;    // of blocks that enter nodes, each block once for each node
    double seconds = 0;        // the longest time that any node or rank needs for its part
    // The time that every pattern needs, even one that sends through third nodes, as grid_paths
    // does: until the blocks of a rank's sources can have come together in it, and until one
    // message, and all bytes, have reached their node or rank.
    double seconds_of_any = 0;
};

// The lower bound of a call. Messages and bytes have their least costs, shared evenly by all cores
// of a node (or by its ranks, if these are fewer), but no single message is shared. One message has
// to get from end to end. Every rank receives the bytes that arrive for it (or copies them, if that
// is cheaper), and copies those of self edges. graph[r] belongs to rank r.
LowerBound lower_bound(const std::vector<Neighbourhood> &graph, BlockKind kind,
                       const BlockBytes &block_bytes, const Cluster &cluster, const Costs &costs);

} // namespace nbrhood
