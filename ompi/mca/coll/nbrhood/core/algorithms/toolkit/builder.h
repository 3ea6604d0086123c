// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The protocol in which the ranks of a communicator build a pattern together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/toolkit/parameter.h"
#include "algorithms/toolkit/known_ranks.h"
#include "algorithms/toolkit/traffic.h"
#include "graph/neighbourhood.h"
#include "machine/die_links.h"
#include "pattern/pattern.h"

namespace nbrhood {

// Message between builders: words, or the notice that the sender cannot build.
struct Message {
    Rank peer = kNoRank; // destination in an outbox, source in an inbox
    bool failed = false;
    std::vector<std::int32_t> words;
};

// The end of a superstep: messages to deliver and the ranks that each send exactly one message to
// this rank for the next superstep. Peers are always known, so that a superstep needs no agreement
// to end; messages between an ordered pair of ranks keep their order. `done` ends the protocol for
// this rank. If no message is expected, the next superstep follows at once, unless this one
// `pauses`: then it has done as much work as may be done at a time, and in a build while the
// program runs the application continues first. A step that pauses expects nothing.
struct Step {
    std::vector<Message> outbox;
    std::vector<Rank> expect;
    bool done = false;
    bool pauses = false;
};

enum class Outcome : std::uint8_t { built, declined, failed };

// Settings of builders, equal on all ranks.
struct Tuning {
    // Values of all parameters, including those that the builder's rows declare.
    ParameterValues values;
    // The ranks per core of the communicator's most oversubscribed node.
    double ranks_per_core = 1;
    // Expected size of a block, bytes: the weight of blocks against messages when loads are
    // balanced.
    double block_bytes = 8;
};

// A pattern to count and, perhaps, to build.
struct Task {
    BlockKind kind = BlockKind::one_per_edge;
    int variant = 0; // of the builder's protocol; see Algorithm::variant
};

// Decides from the traffic of each task whether it is built. one_size: see Builder::one_size().
using DecisionFunction =
    std::function<std::vector<char>(const std::vector<Traffic> &totals, bool one_size)>;

// A rank's place in a tree, along which sums go up and decisions come down.
struct TreePlace {
    TreePlace() = default;
    TreePlace(Rank up, std::vector<Rank> down) : parent(up), children(std::move(down)) {}
    // The place in a binomial tree. participants: the same on all of them, including `self`. The
    // first one is the root.
    TreePlace(const std::vector<Rank> &participants, Rank self);

    Rank parent = kNoRank; // of the root: kNoRank
    std::vector<Rank> children;
};

// The place of a rank in the tree of its region, whose leader is the parent of all others.
TreePlace place_in_region(const KnownRanks &known, Rank self);

// The place in one tree of all ranks that take part, all of which must be known: the leaders of all
// regions in a binomial tree, and below each leader its region. Other ranks have no place.
TreePlace place_in_tree(const KnownRanks &all, Rank self);

// All input of a builder: its own rank's neighbourhood, the ranks around it, and facts that all
// ranks agree on. Ranks without edges never relay and take no part in building.
struct BuildInput {
    const Neighbourhood *neighbourhood = nullptr;
    const KnownRanks *known_ranks = nullptr;
    Rank ranks = 0; // of the communicator
    // The GPU dies of this rank's node, the same on all ranks of the node that take part; null if
    // they are not known, or differ.
    std::shared_ptr<const DieLinks> die_links;
    // This rank's place in a tree of all ranks that take part.
    TreePlace tree;
    // If all ranks that take part are known to be one weakly connected component: whether all its
    // blocks have one size, see Builder::one_size(). Otherwise builders find out both.
    std::optional<bool> one_size;
    Tuning tuning;
    // The patterns asked for, equal on all ranks; one run of the protocol serves all of them.
    std::vector<Task> tasks;
    // Asked once, on one rank, with the totals of every task. Empty: all are built.
    DecisionFunction decide;
    // For tests: fail in this superstep of this rank; -1: never.
    int fail_in_step = -1;
};

// A deterministic superstep protocol, which counts the traffic of all tasks and builds those that
// are chosen. step() is called first with an empty inbox, then with one message from each expected
// rank, in the order of `expect`, until it returns done. A rank that fails still sends the messages
// that others expect, with `failed` set, so that none waits forever; at the end the engine agrees
// on the outcome. Implementations do not throw from step().
class Builder {
public:
    virtual ~Builder() = default;
    virtual Step step(const std::vector<Message> &inbox) = 0;
    // Outcome of a task, by its place in BuildInput::tasks.
    virtual Outcome outcome(std::size_t task) const = 0; // failed: for all tasks
    virtual Traffic traffic(std::size_t task) const = 0; // valid unless the outcome is failed
    // Whether the builder found that all blocks of a weakly connected component have one size in
    // collectives with one count per rank (see Roles); the same on all ranks that take part.
    virtual bool one_size() const = 0;
    // Valid once, when the outcome is built; has its rank and kind on ranks without edges, too.
    virtual Pattern take_pattern(std::size_t task) = 0;
};

} // namespace nbrhood
