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
// message, with the costs between nodes for all messages; half for each end. Added to this is
// `phase_latency` for each message of the longest chain. Where ranks share cores, the mean of the
// ranks of a node times the ranks that share a core takes the place of the busiest rank, if it is
// more.
double hockney_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs);

// The same with the costs of the link that each message crosses (the postal model with local and
// non-local terms of Bienz, Gautam, Kharel: A Locality-Aware Bruck Allgather, 2022, section 3).
double postal_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs);

// The same, but no less than the bytes that leave or enter the busiest node take at the rate that
// its ranks share, and with the copies of packed messages (max-rate model; Gropp, Olson, Samfass
// 2016).
double max_rate_seconds(const Flow &flow, const Cluster &cluster, const Costs &costs);

// Seconds that the creation of a communicator takes longer than without the component: the messages
// of the builders by the formula of postal_seconds(), with their rounds for the longest chain, and
// the sums over all ranks: the survey, with what each tells all others, and, where builders ran,
// the one by which they agree, each in 2 log2(ranks) rounds of a message between nodes. The
// processors' work on the graph is not in it. For tools.
double creation_seconds(const Negotiation &negotiation, const Cluster &cluster, const Costs &costs);

// The least seconds in which blocks of `ranks` ranks can come together in one rank, whatever way
// they take: a rank takes `receive` for each message that it receives, and what is in it was known
// `message` before that to who sent it. So at time t a rank has blocks of at most f(t) ranks, f(t)
// = f(t - receive) + f(t - message), and of its own only before the first message.
double gathering_seconds(std::int64_t ranks, double receive, double message);

// What no pattern that sends each message straight from node to node can save.
struct LowerBound {
    std::int64_t messages = 0; // one for each ordered pair of nodes with a block for one another
    std::int64_t bytes = 0;    // that enter nodes, each once for each node
    double seconds = 0;        // the longest that any node or rank needs for its part of it
    // What also those need that send through third nodes, as grid_paths does: the time until blocks
    // of so many ranks can have come together in one, and until one message, and all bytes, are in
    // their node or at their rank.
    double seconds_of_any = 0;
};

// The lower bound of a call: messages and bytes cost the nodes what they cost at the least, shared
// evenly by all cores (or ranks, where these are fewer) of a node, but no message is shared; one
// message has to get from end to end; every rank receives (or copies,
// whatever is cheapest) the bytes that arrive for it, and copies those of self edges.
// graph[r] belongs to rank r.
LowerBound lower_bound(const std::vector<Neighbourhood> &graph, BlockKind kind,
                       const BlockBytes &block_bytes, const Cluster &cluster, const Costs &costs);

} // namespace nbrhood
