// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Runs the builders of all ranks in one process, for tests and tools.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "algorithms/registry.h"

namespace nbrhood {

// A message between builders.
struct BuilderMessage {
    Rank source = kNoRank;
    Rank destination = kNoRank;
    std::uint32_t bytes = 0;
};

// The messages that builders exchange to build a pattern.
struct Negotiation {
    std::vector<BuilderMessage> messages;
    int rounds = 0; // the longest chain of messages, each an answer to the one before

    std::size_t bytes() const;
};

// Steps every builder until all are done: builders[r] belongs to rank r. Messages between an
// ordered pair of ranks keep their order; the result does not depend on the order of the steps.
// `done`, if given, is called for each rank as soon as its builder is done, and may destroy the
// builder. Throws std::runtime_error when a builder waits forever, leaves a message unread, or
// writes to no rank.
Negotiation run_lockstep(const std::vector<std::unique_ptr<Builder>> &builders,
                         const std::function<void(Rank)> &done = {});

// The patterns of all ranks, by rank, and the messages that built them.
struct GraphPatterns {
    std::vector<Pattern> patterns;
    Traffic traffic; // counted by the builders before they built; none for direct
    Negotiation negotiation;
};

// Builds the patterns of one algorithm for all ranks of a graph: graph[r] belongs to rank r.
// die_links: the links of each node's GPU dies, if known. Throws std::runtime_error if a builder
// fails.
GraphPatterns build_all(const Algorithm &algorithm, BlockKind kind,
                        const std::vector<Neighbourhood> &graph, const Machine &machine,
                        const Tuning &tuning, std::shared_ptr<const DieLinks> die_links = nullptr);

} // namespace nbrhood
