// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Facts of a communicator before a pattern is counted or built.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/machine.h"

namespace nbrhood {

// Ends of the edges of a component, from its summary (class GraphSummary).
struct EndCounts {
    std::int64_t senders = 0;
    std::int64_t receivers = 0;
    std::int64_t nonlocal_senders = 0; // ranks with edges to other regions
    std::int64_t nonlocal_receivers = 0;
    std::int64_t destination_regions = 0; // sum over ranks of regions that they reach
    std::int64_t region_pairs = 0;        // ordered pairs joined by an edge, estimated
};

// Facts of a communicator that all ranks know after the survey.
struct Facts {
    std::int64_t ranks_with_edges = 0;
    std::int64_t edges = 0;            // without self edges
    std::int64_t edges_nonlocal = 0;   // between regions
    std::int64_t edges_network = 0;    // between nodes
    std::int64_t busiest_edges = 0;    // of the rank with the most out-edges
    std::int64_t busiest_nonlocal = 0; // likewise, between regions
    std::int64_t busiest_network = 0;  // likewise, between nodes
    // Blocks that all ranks send in one call, and their bytes; 0 without a call.
    std::int64_t call_blocks = 0;
    std::int64_t call_bytes = 0;
    int regions = 1;
    int regions_of_node = 1;          // of the node with the most
    Link within_regions = Link::node; // the farthest link inside a region
    double ranks_per_core = 1;        // of the most oversubscribed node
    std::optional<EndCounts> ends;    // only in an estimate, before places are known
};

} // namespace nbrhood
