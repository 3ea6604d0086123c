// What the leader of a region knows of the edges of its members, and how it plans their relaying.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "algorithms/builder.h"
#include "graph/forest.h"

namespace nbrhood {

// The edges of all ranks of one region, held by its leader while a pattern is built.
// Implements the set-up of three-step aggregation: Collom, Li, Bienz, "Optimizing Irregular
// Communication with Neighborhood Collectives and Locality-Aware Parallelism" (2023), section 3.2.
class RegionEdges {
public:
    RegionEdges(const Machine &machine, Region region, const Tuning &tuning)
        : machine_(&machine), region_(region), tuning_(tuning)
    {}

    // The edges of a rank as words, and back: [in-degree, out-degree, (peer, key) of each slot].
    static std::vector<std::int32_t> encode(const Neighbourhood &neighbourhood);
    void add_member(Rank member, const std::vector<std::int32_t> &words);

    // Adds to `forest` what this region knows of the weakly connected components of the graph.
    void join_components(Forest &forest) const;

    // The messages and blocks of this region, direct and relayed: those it sends, and those within
    // it. Relayed ones are estimated as if the graph had one component and several relays had equal
    // loads.
    Traffic traffic(BlockKind kind) const;

    // The regions this one exchanges edges with, ascending.
    std::vector<Region> neighbour_regions() const;

    // Distributes the messages to and from other regions over the members: the largest first, each
    // to the rank with the least load so far among those allowed in its component.
    void assign_relays(Forest &components);

    // The relays chosen for the messages to and from another region, as words; understood by the
    // leader of that region, which knows the same messages.
    std::vector<std::int32_t> encode_relays(Region other) const;
    void add_remote_relays(Region other, const std::vector<std::int32_t> &words);

    // The operations (gather, inter-region, redistribute) of every member for one kind of blocks;
    // needs the relays of all neighbour regions. Each member's words start with its number of
    // staging blocks and with 1 when its edges within the region ride, too, or 0.
    std::map<Rank, std::vector<std::int32_t>> encode_operations(BlockKind kind) const;

private:
    // One block that crosses the region's border, as seen from inside (or one that stays inside).
    struct Crossing {
        Rank inside = kNoRank;
        Rank outside = kNoRank;
        std::int32_t key = 0;
        std::uint32_t slot = 0; // of the inside rank's send or receive buffer
    };
    enum Direction : std::uint8_t { outgoing = 0, incoming = 1 };
    // One message between two regions. Blocks of different components never share one: their parts
    // of the graph may be called with unlike counts, or not at all.
    struct Job {
        Direction direction = outgoing;
        Region other = 0;
        Rank component = kNoRank;
        bool operator<(const Job &b) const;
    };
    struct Relay {
        std::vector<Crossing> crossings; // in the order of both regions
        Rank inside = kNoRank;           // the member that sends or receives the message
        Rank outside = kNoRank;          // its peer in the other region
    };
    struct MemberPlan; // operations of one member under construction
    struct Planner;    // of all members

    std::size_t relay_count() const;
    std::vector<Rank> by_suitability() const;
    static std::vector<std::vector<Crossing>> blocks_of(const Job &job, const Relay &relay,
                                                        BlockKind kind);
    void count_direct(Traffic &total) const;
    bool local_rides_pay(std::size_t edges, std::size_t members) const;
    void choose_local_rides(Forest &components,
                            const std::map<Rank, std::vector<Rank>> &candidates);
    void plan_outgoing(Planner &planner) const;
    void plan_incoming(Planner &planner) const;
    void plan_local(Planner &planner) const;

    const Machine *machine_;
    Region region_;
    Tuning tuning_;
    std::vector<Rank> members_;         // with edges, ascending
    std::map<Rank, bool> both_ways_;    // members with in-edges and out-edges
    std::vector<Crossing> local_edges_; // inside: the source, outside: the destination
    std::map<std::tuple<Rank, Rank, std::int32_t>, std::uint32_t> local_slots_; // of the receivers
    std::map<Rank, Rank> local_relay_; // by member: who carries its blocks within the region
    std::map<Region, std::vector<Crossing>> crossings_[2]; // by direction and other region
    std::map<Job, Relay> jobs_;
};

} // namespace nbrhood
