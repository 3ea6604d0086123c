// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Event evaluation: the time of a call, message by message, as in LogGOPS.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow.h"
#include "select/costs.h"

namespace nbrhood {

// The nodes and cores on which the ranks of a flow run.
struct Cluster {
    std::vector<std::int32_t> node_of; // by rank, numbered from 0
    std::vector<int> cores;            // by node, 1 or more
    std::vector<Place> places = {};    // by rank; empty if sockets and dies are not known

    bool local(Rank a, Rank b) const
    {
        return node_of[static_cast<std::size_t>(a)] == node_of[static_cast<std::size_t>(b)];
    }
    // The link that messages between two ranks cross.
    Link link(Rank a, Rank b) const;
    // The number of ranks of each node.
    std::vector<int> ranks_of_nodes() const;
    // Ranks for each core of the most oversubscribed node; at least 1.
    double ranks_per_core() const;
};

// Half of the cost of a message at its two ends: seconds of the processor at either end, without
// packing.
double end_seconds(const LinkCosts &link, const Costs &costs, std::uint64_t message_bytes);

// The costs of a message, in the letters of LogGOPS (Hoefler, Schneider, Lumsdaine: LogGOPSim,
// 2010), from the Costs of a machine. Its `message` and `byte` are those of one message sent and
// received, half of each at either end:
//   o  half of `message`, the processor's overhead, which also separates messages (g = o)
//   O  half of `byte`, the processor's time for a byte; where an end copies segments together or
//      apart, that adds `copy_byte` and a part of a local message for each segment
//   G  `injection_byte`, for a byte that leaves or enters a node: all messages in flight at the
//      same time share it equally (max-rate model)
//   L  `phase_latency`, where ranks have cores of their own; where they share cores, that is the
//   time of
//      a context switch between ranks, and messages have no other latency
//   S  `protocol_switch`: longer messages have overheads of their own
struct LogGops {
    // Seconds of the processor at either end: o, with the bytes' O.
    double send_overhead = 0;
    double receive_overhead = 0;
    double injection = 0; // seconds on the injection link of a node, and on an ejection link
};
LogGops loggops(const FlowMessage &message, const Cluster &cluster, const Costs &costs,
                bool shares_cores);

// The activity of a rank in a part of a call.
enum class Activity : std::uint8_t { send, receive, copy, context_switch };
struct Interval {
    Rank rank = kNoRank;
    Activity activity = Activity::send;
    std::uint32_t message = 0; // for send and receive
    double begin = 0;          // seconds since the start of the call
    double end = 0;
};

struct Evaluation {
    double seconds = 0;           // until the last rank is done
    std::vector<double> finished; // by rank
};

// Evaluates a call that all ranks start at once with all receives posted. A rank does one thing at
// a time, in the order in which it becomes possible; it starts with its sends in posting order. If
// a node has fewer cores than ranks, ranks wait for a core and keep it as long as they have
// something to do. timeline: null, or receives the activities of each rank, ordered by their
// beginning. The result is the same on every machine and in every run. Throws std::invalid_argument
// if the cluster does not fit the flow, or messages wait for each other forever.
Evaluation evaluate(const Flow &flow, const Cluster &cluster, const Costs &costs,
                    std::vector<Interval> *timeline = nullptr);

} // namespace nbrhood
