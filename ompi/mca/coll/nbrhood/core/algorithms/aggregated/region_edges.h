// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Edges of the members of a region, as its leader knows them.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "graph/roles.h"

namespace nbrhood {

// One block that crosses a region's border, as seen from inside (or one that stays inside: then
// `inside` is the source and `outside` the destination).
struct Crossing {
    Rank inside = kNoRank;
    Rank outside = kNoRank;
    std::int32_t key = 0;
    std::uint32_t slot = 0; // of the inside rank's send or receive buffer
    std::int32_t weight = 1;
};
enum Direction : std::uint8_t { outgoing = 0, incoming = 1 };

// The edges of all ranks of one region, held by its leader while a pattern is built.
class RegionEdges {
public:
    // known: the members of the region, at least. ranks: of the communicator.
    RegionEdges(const KnownRanks &known, Region region, Rank ranks);

    // The edges of a rank as words: [number of its neighbours outside the region, (rank,
    // place) of each; in-degree, out-degree, weighted, (peer, key) or (peer, key, weight) of
    // each slot], and back. add_member throws BadMessage for what no rank's edges can be.
    static std::vector<std::int32_t> encode(const Neighbourhood &neighbourhood,
                                            const KnownRanks &known);
    void add_member(Rank member, WordReader words);
    // To be called after the last member: throws BadMessage where a member names an edge to another
    // member that does not name it.
    void check_local() const;

    // Adds the edges of this region to the roles of the graph.
    void join_roles(Roles &roles) const;

    // Counts the messages of this region with one for each edge: those it sends, and those within
    // it. The same for both kinds of blocks.
    void count_direct(Traffic &total) const;

    // The regions this one exchanges edges with, ascending.
    std::vector<Region> neighbour_regions() const;

    // The members and their neighbours.
    const KnownRanks &known_ranks() const { return known_; }
    Region region() const { return region_; }
    // Whether a number from elsewhere is that of a rank that may relay there.
    bool may_relay(Rank rank) const
    {
        return rank >= 0 && rank < ranks_
               && !(known_.knows(rank) && known_.region_of(rank) == region_);
    }
    // The link to a neighbour region, seen from ranks there and here.
    Link link_to(Region other) const;
    // All members as one component, whose label is the same in all regions.
    Forest as_one_component() const;
    // Those with edges, ascending.
    const std::vector<Rank> &members() const { return members_; }
    // Whether a member has in-edges and out-edges.
    bool both_directions(Rank member) const { return both_directions_.at(member); }
    const std::vector<Crossing> &local() const { return local_edges_; }
    // The receive slot of an edge within the region.
    std::uint32_t receive_slot(const Crossing &local_edge) const
    {
        return local_slots_.at({local_edge.inside, local_edge.outside, local_edge.key});
    }
    // Edges that cross the border in a direction, by the other region.
    const std::map<Region, std::vector<Crossing>> &crossings(Direction direction) const
    {
        return crossings_[direction];
    }

private:
    void add_neighbours(WordReader &words);

    KnownRanks known_;
    Region region_;
    Rank ranks_;
    std::vector<Rank> members_;
    std::map<Rank, bool> both_directions_;
    std::vector<Rank> loops_; // members with edges to themselves
    std::vector<Crossing> local_edges_;
    std::map<std::tuple<Rank, Rank, std::int32_t>, std::uint32_t> local_slots_;
    std::map<Region, std::vector<Crossing>> crossings_[2];
};

} // namespace nbrhood
