// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The cost model: how long a call takes directly and through relays, and what `auto` makes of it.
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
// same by one allgather.
Facts find_facts(const std::vector<Neighbourhood> &graph, const Machine &machine,
                 double ranks_per_core);

// Bytes of blocks so small that messages, not bytes, are what counts.
constexpr double kSmallBlock = 8;

// Seconds of one call with blocks of that many bytes: postal terms for the messages and bytes of
// the busiest rank and a term for each dependent phase or, where ranks share cores, for the work of
// all that share one; bytes on the network are limited by what a node can inject (max-rate model).
// See Costs. The event evaluation says what this should come to (benchmarks/model-verdicts).
double direct_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                      double block_bytes);

// The same through relays, in as many phases as the builder counted. Blocks are packed and
// unpacked, which costs copies (Load::copies) and a little for each, or, where they are larger than
// the packing threshold P (bytes), are messages of their own.
double relayed_seconds(const Traffic &traffic, const Facts &facts, const Costs &costs,
                       double block_bytes, double packing_threshold);

// Seconds to take one block out of a message and put it into another, without the copying of its
// bytes: looking up where it lies and where it goes.
double per_block_overhead(const Costs &costs, bool shares_cores);

// The fraction of the time of direct messages that a pattern may take by the model, for `auto` to
// build it. A gain within the errors of the model does not count.
constexpr double kWorthIt = 0.9;

// A build and its trial take as long as so many calls by direct messages (docs/results.md).
constexpr double kBuildCalls = 20;

// By default a build begins after so many calls, and as many are expected to follow.
constexpr std::uint32_t kCallsToFollow = 100;

// The same where a pattern is expected to serve so many calls (0: very many): what these gain must
// be more than what the build takes.
constexpr double worth_in(std::uint32_t calls)
{
    return calls == 0 ? kWorthIt : std::min(kWorthIt, 1 - kBuildCalls / calls);
}

// By how much an estimate (estimated_traffic.h) may exceed what builders count.
constexpr double kEstimateErrors = 1.05;

// The decision of `auto` before a pattern is built: whether blocks of that size could gain at all,
// if nothing is relayed but what `least` has (see Algorithm::least). worth: see above.
bool may_pay(const Traffic &least, const Facts &facts, const Costs &costs, double block_bytes,
             double packing_threshold, double worth = kWorthIt);

// The decision of `auto` on a pattern for blocks of that size.
bool pays(const Traffic &traffic, const Facts &facts, const Costs &costs, double block_bytes,
          double packing_threshold, double worth = kWorthIt);

// The combining threshold T in bytes, a power of two: blocks up to this size gain from relays, or,
// where the expected ones (block_bytes) are larger and gain, these. Sizes below it may lose up to a
// tenth: just above P, or where the machine's protocol changes, relays seem slower than they are
// for larger blocks, too.
std::size_t combining_threshold(const Traffic &traffic, const Facts &facts, const Costs &costs,
                                double block_bytes, std::size_t packing_threshold,
                                double worth = kWorthIt);

// The range of combining thresholds that the model gives. The upper end bounds the staging of
// relays.
constexpr std::size_t kLeastThreshold = 1024;
constexpr std::size_t kGreatestThreshold = 1 << 20;

} // namespace nbrhood
