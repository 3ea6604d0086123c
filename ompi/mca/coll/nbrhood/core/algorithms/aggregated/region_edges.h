// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The edges of the members of a region, on its leader.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "graph/roles.h"

namespace nbrhood {

// A block that crosses a region's border, seen from inside; or a block that stays inside, with
// `inside` as its source and `outside` as its destination.
struct Crossing {
    Rank inside = kNoRank;
    Rank outside = kNoRank;
    std::int32_t key = 0;
    std::uint32_t slot = 0; // in the inside rank's send or receive buffer
    std::int32_t weight = 1;
};
enum Direction : std::uint8_t { outgoing = 0, incoming = 1 };

// The edges of all ranks of one region, held by its leader while a pattern is built.
class RegionEdges {
public:
    // known: at least the members of the region. ranks: of the communicator.
    RegionEdges(const KnownRanks &known, Region region, Rank ranks);

    // The edges of a rank as words: [number of its neighbours outside the region, (rank, place) of
    // each; in-degree, out-degree, weighted, (peer, key) or (peer, key, weight) of each slot], and
    // back. add_member throws BadMessage for words that cannot be a rank's edges.
    static std::vector<std::int32_t> encode(const Neighbourhood &neighbourhood,
                                            const KnownRanks &known);
    void add_member(Rank member, WordReader words);
    // To be called after the last member. Throws BadMessage if a member names an edge to another
    // member that does not name the edge.
    void check_local() const;

    // Adds the edges of this region to the roles of the graph.
    void join_roles(Roles &roles) const;

    // Counts the direct messages of this region: those that it sends, and those within it. The same
    // for both kinds of blocks.
    void count_direct(Traffic &total) const;

    // The regions that edges join with this one, ascending.
    std::vector<Region> neighbour_regions() const;

    // The members and their neighbours.
    const KnownRanks &known_ranks() const { return known_; }
    Region region() const { return region_; }
    // Whether a rank named by another leader may be a relay.
    bool may_relay(Rank rank) const
    {
        return rank >= 0 && rank < ranks_
               && !(known_.knows(rank) && known_.region_of(rank) == region_);
    }
    // The link between this region and a neighbour region.
    Link link_to(Region other) const;
    // All members as one component, whose label is the same in all regions.
    Forest as_one_component() const;
    // The members with edges, ascending.
    const std::vector<Rank> &members() const { return members_; }
    // Whether a member has both in-edges and out-edges.
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
