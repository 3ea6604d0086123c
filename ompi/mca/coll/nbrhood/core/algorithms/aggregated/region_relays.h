// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How the leader of a region plans the relaying of its members' edges.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/aggregated/relay_scheme.h"

namespace nbrhood {

// The messages of one region to and from others, and the members that carry them.
//
// Three steps: one message for each ordered pair of regions; Collom, Li, Bienz, "Optimizing
// Irregular Communication with Neighborhood Collectives and Locality-Aware Parallelism" (2023),
// section 3.2. Two steps: one for each rank and region that it sends to; Bienz, Gropp, Olson,
// "Reducing communication in algebraic multigrid with multi-step node aware communication" (2020),
// and section 2.1 of the former.
class RegionRelays {
public:
    RegionRelays(const RegionEdges &edges, Scheme scheme, const Tuning &tuning)
        : edges_(&edges), scheme_(&RelayScheme::of(scheme)), tuning_(tuning)
    {}

    // Counts the messages and blocks of this region through relays, those it sends and those within
    // it, as if the graph had one component. Needs no relays.
    void count_relayed(BlockKind kind, Traffic &total) const;

    // Distributes the messages to and from other regions over the members: the largest first, each
    // to the rank with the least load so far, in messages and bytes, among those allowed in its
    // component.
    void assign(Forest &components);

    // The relays chosen for the messages to and from another region, as words; understood by the
    // leader of that region, which knows the same messages. add_remote throws BadMessage where it
    // does not know the same.
    std::vector<std::int32_t> encode_relays(Region other) const;
    void add_remote(Region other, WordReader words);

    // The operations (gather, inter-region, redistribute) of every member for one kind of blocks;
    // needs the relays of all neighbour regions. As words that read_member understands.
    std::map<Rank, std::vector<std::int32_t>> encode_operations(BlockKind kind) const;

private:
    // One message between two regions. Blocks of different components never share one: their parts
    // of the graph may be called with different counts, or not at all.
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
    struct Planner;    // of all members

    std::size_t relay_count() const;
    std::vector<Rank> by_suitability() const;
    std::int64_t message_load() const;
    Jobs list_jobs(Forest &components) const;
    Candidates find_candidates(Forest &components) const;
    void choose_relays(Jobs &jobs, const Candidates &candidates) const;
    static std::vector<std::vector<Crossing>> blocks_of(const Job &job, const Relay &relay,
                                                        BlockKind kind);
    // Messages and blocks that every member sends and receives through relays, and copies, and in
    // `sent` those that all send.
    std::map<Rank, Load> count_operations(BlockKind kind, Load &sent) const;
    void choose_local_combining(Forest &components, const Candidates &candidates);
    Planner plan(BlockKind kind) const;
    void plan_outgoing(Planner &planner) const;
    void plan_incoming(Planner &planner) const;
    void plan_local(Planner &planner) const;

    const RegionEdges *edges_;
    const RelayScheme *scheme_;
    Tuning tuning_;
    std::map<Rank, Rank> local_relay_; // by member: who carries its blocks within the region
    Jobs jobs_;
};

} // namespace nbrhood
