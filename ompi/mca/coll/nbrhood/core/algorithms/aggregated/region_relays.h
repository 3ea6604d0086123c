// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The relays of a region, which its leader plans.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/aggregated/relay_scheme.h"

namespace nbrhood {

// The messages of one region to and from others, and the members that carry them.
//
// Three steps: one message for each ordered pair of regions. Collom, Li, Bienz, "Optimizing
// Irregular Communication with Neighborhood Collectives and Locality-Aware Parallelism" (2023),
// section 3.2. Two steps: one message for each rank and region to which it sends. Bienz, Gropp,
// Olson, "Reducing communication in algebraic multigrid with multi-step node aware communication"
// (2020), and section 2.1 of the other paper.
class RegionRelays {
public:
    RegionRelays(const RegionEdges &edges, Scheme scheme, const Tuning &tuning)
        : edges_(&edges), scheme_(&RelayScheme::of(scheme)), tuning_(tuning)
    {}

    // Counts the messages and blocks that this region sends, and those within it, as if the graph
    // had one component. Needs no assign().
    void count_relayed(BlockKind kind, Traffic &total) const;

    // Distributes the messages to and from other regions over the members: the largest first, each
    // to the candidate of its component with the least load so far, in messages and bytes.
    void assign(Forest &components);

    // The relays chosen for the messages to and from another region, as words for add_remote() on
    // that region's leader. add_remote throws BadMessage if the two leaders have different lists of
    // messages.
    std::vector<std::int32_t> encode_relays(Region other) const;
    void add_remote(Region other, WordReader words);

    // The operations (gather, inter-region, redistribute) of every member for one kind of blocks;
    // as words for read_member. Needs the relays of all neighbour regions.
    std::map<Rank, std::vector<std::int32_t>> encode_operations(BlockKind kind) const;

private:
    // One message between two regions. Blocks of different components never share a message, since
    // calls on the components may differ in counts, or one component may make no calls.
    struct Job {
        Direction direction = outgoing;
        Region other = 0;
        Rank component = kNoRank;
        Rank sender = kNoRank; // see RelayScheme
        bool operator<(const Job &b) const;
    };
    static std::int32_t hash_of(const Job &job, const std::vector<Crossing> &crossings);
    struct Relay {
        std::vector<Crossing> crossings; // in the order of both regions
        Rank inside = kNoRank;           // the member that sends or receives the message
        Rank outside = kNoRank;          // its peer in the other region
    };
    using Jobs = std::map<Job, Relay>;
    using Candidates = std::map<Rank, std::vector<Rank>>; // by component
    struct MemberPlan; // operations of one member under construction
    struct Planner;    // the members' operations under construction

    std::size_t relay_count() const;
    std::vector<Rank> by_suitability() const;
    std::int64_t message_load() const;
    Jobs list_jobs(Forest &components) const;
    Candidates find_candidates(Forest &components) const;
    void choose_relays(Jobs &jobs, const Candidates &candidates) const;
    static std::vector<std::vector<Crossing>> blocks_of(const Job &job, const Relay &relay,
                                                        BlockKind kind);
    // Counts the relayed messages, blocks and copies of every member; `sent` gets those that all
    // members together send.
    std::map<Rank, Load> count_operations(BlockKind kind, Load &sent) const;
    void choose_local_combining(Forest &components, const Candidates &candidates);
    Planner plan(BlockKind kind) const;
    void plan_outgoing(Planner &planner) const;
    void plan_incoming(Planner &planner) const;
    void plan_local(Planner &planner) const;

    const RegionEdges *edges_;
    const RelayScheme *scheme_;
    Tuning tuning_;
    std::map<Rank, Rank> local_relay_; // by member: the relay of its blocks within the region
    Jobs jobs_;
};

} // namespace nbrhood
