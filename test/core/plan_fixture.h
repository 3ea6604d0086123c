// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One collective over all ranks of a graph: buffers, plans, and the check of the received data.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "memory_world.h"

namespace nbrhood::test {

// The programs of all ranks, and the agreed hash.
struct Programs {
    std::vector<std::shared_ptr<const Program>> of; // null for ranks without operations
    std::uint64_t hash = 0;
    explicit Programs(const std::vector<Pattern> &patterns);
};

using SizeOf = std::function<std::size_t(const Edge &)>;

// Sizes around the combining threshold and the preposted size, by edge.
SizeOf mixed_sizes(std::uint64_t seed, const WireSettings &wire);

// Thresholds so small that blocks of a few bytes are relayed, unpacked or direct.
inline constexpr WireSettings kSmall{16, 64, 10, 0, true};

// All ranks' part of operations that use one set of tags.
class Exchange {
public:
    Exchange(const Graph &graph, const Programs &programs, const WireSettings &wire, World &world,
             BlockKind kind, SizeOf size, Sizes sizes, double strided, Random &random);

    // Starts operation number rounds_started(rank) of a rank, with new contents.
    void start(Rank rank, int tag_base);
    std::uint32_t started(Rank rank) const { return started_[index(rank)]; }
    bool active(Rank rank) const { return active_[index(rank)]; }
    bool takes_part(Rank rank) const { return plans_[index(rank)] != nullptr; }
    bool owns(Rank rank, const AnyPlan &plan) const { return plans_[index(rank)].get() == &plan; }
    Plan &plan(Rank rank) { return *plans_[index(rank)]; }

    // Starts all ranks once, as the only exchange of `world`, and runs until no event is left.
    void run_once(World &world);
    // The number of ranks that have not ended.
    int hanging() const;

    // To be called when a plan of this exchange ended.
    void finished(Rank rank, int error);
    int error(Rank rank) const { return errors_[index(rank)]; }

    // Gives all blocks other sizes, between two operations.
    void resize(const SizeOf &size);

    // Makes a rank expect another size for a slot.
    void expect_size(Rank rank, std::size_t slot, std::size_t bytes);
    std::size_t size(Rank rank, std::size_t slot) const;

    // The first error in contents or guards; checked whenever a rank ends without an error.
    const std::vector<std::string> &faults() const { return faults_; }
    bool guards_intact() const;

private:
    static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
    Edge edge_in(Rank rank, std::size_t slot) const;
    Edge edge_out(Rank rank, std::size_t slot) const;
    std::uint64_t contents(const Edge &edge, std::uint32_t round) const;
    void check(Rank rank);

    const Graph &graph_;
    BlockKind kind_;
    SizeOf size_;
    double strided_;
    Random random_;
    std::uint64_t seed_;
    std::vector<std::unique_ptr<Plan>> plans_;
    std::vector<std::vector<std::unique_ptr<Memory>>> send_, receive_;
    std::vector<std::uint32_t> started_;
    std::vector<char> active_;
    std::vector<int> errors_;
    std::vector<std::string> faults_;
};

} // namespace nbrhood::test
