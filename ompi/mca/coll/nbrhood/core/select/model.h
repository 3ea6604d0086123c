// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The cost model: the times of a call directly and through relays, and the decisions of `auto` from
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/toolkit/facts.h"
#include "algorithms/toolkit/traffic.h"
#include "machine/machine.h"
#include "select/costs.h"

namespace nbrhood {

// The facts of a whole graph: graph[r] belongs to rank r. For tools and tests; the engine finds the
// same facts by communication.
Facts find_facts(const std::vector<Neighbourhood> &graph, const Machine &machine,
                 double ranks_per_core);

// A size of blocks so small that only the number of messages counts, bytes.
constexpr double kSmallBlock = 8;

// Seconds of one call with blocks of that many bytes: postal terms for the messages and bytes of
// the busiest rank and a term for each dependent phase or, if ranks share cores, for the work of
// all ranks that share one. The injection rate of a node limits bytes on the network (max-rate
// model). See Costs. benchmarks/model-choices compares the result with the event evaluation.
double direct_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                      double block_bytes);

// The same through relays, in as many phases as the builder counted. Blocks are packed and
// unpacked, which costs copies (Load::copies) and the per-block overhead; blocks larger than the
// packing threshold P (bytes) are messages of their own.
double relayed_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                       double block_bytes, double packing_threshold);

// Seconds to take one block out of a message and put it into another, without the copy of its
// bytes: the look-up of its source and destination.
double per_block_overhead(const Costs &costs, bool shares_cores);

// The fraction of the time of direct messages that a pattern may take by the model, for `auto` to
// build it. A gain within the errors of the model does not count.
constexpr double kWorthIt = 0.9;

// A build and its trial take as long as this many direct calls (docs/results/costs.md).
constexpr double kBuildCalls = 20;

// By default a build begins after this number of calls, and the same number is expected to follow.
constexpr std::uint32_t kCallsToFollow = 100;

// The same for a pattern that is expected to serve this many calls (0: very many), whose gain must
// exceed the time of the build.
constexpr double worth_in(std::uint32_t calls)
{
    return calls == 0 ? kWorthIt : std::min(kWorthIt, 1 - kBuildCalls / calls);
}

// The factor by which an estimate (estimated_traffic.h) may exceed the counts of builders.
constexpr double kEstimateErrors = 1.05;

// The decision of `auto` before a pattern is built: whether blocks of that size could gain at all
// with the traffic `least` (see Algorithm::least). worth: see above.
bool may_pay(const Traffic &least, const Facts &facts, const Costs &costs, double block_bytes,
             double packing_threshold, double worth = kWorthIt);

// The decision of `auto` on a pattern for blocks of that size.
bool pays(const Traffic &traffic, const Facts &facts, const Costs &costs, double block_bytes,
          double packing_threshold, double worth = kWorthIt);

// The combining threshold T in bytes, a power of two: the greatest size of blocks that gain from
// relays, and at least the expected size (block_bytes) if that gains. Sizes below T may lose up to
// a tenth, because just above P, or above a change of the machine's protocol, relays look slower in
// the model than for larger blocks.
std::size_t combining_threshold(const Traffic &traffic, const Facts &facts, const Costs &costs,
                                double block_bytes, std::size_t packing_threshold,
                                double worth = kWorthIt);

// The range of combining thresholds that the model gives. The upper end bounds the staging of
// relays.
constexpr std::size_t kLeastThreshold = 1024;
constexpr std::size_t kGreatestThreshold = 1 << 20;

} // namespace nbrhood
