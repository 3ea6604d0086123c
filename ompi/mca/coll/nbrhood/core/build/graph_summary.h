// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Summary of the edges of a component, from facts that each rank has before ranks exchange their
// places.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "engine/building.h"
#include "build/distinct_count.h"
#include "engine/survey.h"

namespace nbrhood {

// Summary of one rank or of several. The answers of a wave bring it to the root (class Wave), which
// ends the build of a graph without gain before any other message is sent.
struct GraphSummary {
    Survey survey;              // as if nodes were regions; without facts of nodes and regions
    std::int64_t senders = 0;   // ranks with edges to others
    std::int64_t receivers = 0; // ranks with edges from others
    std::int64_t nonlocal_senders = 0;   // ranks with edges to other nodes
    std::int64_t nonlocal_receivers = 0; // ranks with edges from other nodes
    std::int64_t destination_nodes = 0;  // other nodes that a rank reaches, summed
    DistinctCount nodes;                 // nodes of the ranks
    DistinctCount node_pairs;            // ordered pairs with an edge from one to the other

    void merge(const GraphSummary &other);
    void put(WordWriter &words) const;
    static GraphSummary take(WordReader &words); // throws BadMessage

    // The survey from which `auto` decides, with an estimate of the counts of `aggregated`
    // (Facts::ends); nothing if there are too many nodes to count.
    std::optional<Survey> estimate() const;
};

// The reason why the summary shows no gain. The root of the wave tells it to all ranks, and the
// build ends.
struct Refusal {
    Reason reason = Reason::none;
    // Blocks that all ranks send in one call, and their bytes (Facts).
    std::int64_t call_blocks = 0;
    std::int64_t call_bytes = 0;

    void put(WordWriter &words) const;
    static Refusal take(WordReader &words); // throws BadMessage
};

// The summary of one rank, complete once the rank knows on which nodes its neighbours run.
class RankSummary {
public:
    // node: Place::node of the rank. locality: of its neighbours.
    RankSummary(const Neighbourhood &neighbourhood, const Settings &settings, std::int32_t node,
                const std::function<Locality(Rank)> &locality);

    std::int32_t node() const { return node_; }
    void add_neighbour(Rank neighbour, std::int32_t node);
    // Blocks that the rank sends in a call, and their bytes.
    void set_blocks(std::int64_t blocks, std::int64_t bytes)
    {
        summary_.survey.facts.call_blocks = blocks;
        summary_.survey.facts.call_bytes = bytes;
    }
    const GraphSummary &summary() const { return summary_; }

private:
    std::int32_t node_;
    std::vector<Rank> destinations_; // ascending
    std::set<std::int32_t> destination_nodes_;
    GraphSummary summary_;
};

} // namespace nbrhood
