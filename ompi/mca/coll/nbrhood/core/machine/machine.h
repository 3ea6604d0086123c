// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Places of the ranks of a communicator.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// The levels of a machine from the outside in. L3 is the cores that share a cache of that level; on
// some machines it is a whole socket, with several NUMA domains in it. A GPU is the package that a
// rank uses, a die a part of a GPU.
enum class Level : std::uint8_t { node, socket, numa, l3, gpu, die };
constexpr int kLevels = 6;

// "node", "socket", "numa", "l3", "gpu", "die"; null when there is no such level.
const char *level_name(int level);

// The place of one rank, which the rank itself finds out. `node` is any number that the ranks of a
// node share and other ranks do not have. The other levels number their domains within the node
// from 1; domains inside one domain of an outer level have consecutive numbers.
constexpr std::int16_t kNoSuchLevel = 0; // the machine has none: the node is one domain
constexpr std::int16_t kNoDomain = -1;   // not bound, bound to several domains, or not known
struct Place {
    std::int32_t node = 0;
    std::array<std::int16_t, kLevels - 1> domains{};

    // Domain of any level but the node.
    std::int16_t &domain(Level level) { return domains[static_cast<std::size_t>(level) - 1]; }
    std::int16_t domain(Level level) const { return domains[static_cast<std::size_t>(level) - 1]; }
};

// The innermost level on which two ranks share a domain; nothing for ranks on different nodes.
// Ranks do not share a level that the machine lacks, or on which the domain of one of them is not
// known.
std::optional<Level> nearest_common_level(const Place &a, const Place &b);

// The link that a message between two ranks crosses, by the innermost level that they share:
// between the dies of one GPU, inside a socket or NUMA domain, between the sockets of a node, the
// network between nodes.
enum class Link : std::uint8_t { die_pair, socket, node, network };
constexpr int kLinks = 4;

// "die_pair", "socket", "node", "network"; null when there is no such link.
const char *link_name(int link);

Link link_between(const Place &a, const Place &b);

// How near another rank is, as far as this rank knows before the ranks exchange their places.
enum class Locality : std::uint8_t { elsewhere, same_node, same_region };

// A region is the group of ranks within which messages are cheap: the ranks of one domain of a
// level, the node by default.
using Region = std::int32_t;

// The ranks of a communicator, the place of each on all levels, and the regions that the domains of
// one level make. Regions are numbered from 0 in the order of their lowest ranks. A node with a
// rank that has no domain on that level is one region. All ranks have the same places, so every
// rank makes the same object.
class Machine {
public:
    Machine() = default;

    // places: one per rank, in rank order.
    explicit Machine(std::vector<Place> places, Level level = Level::node);

    // A machine with known nodes only: node_of[r] is any value that the ranks of one node share.
    explicit Machine(const std::vector<std::int32_t> &node_of);

    // The same machine with the domains of another level as regions.
    Machine at(Level level) const { return Machine(places_, level); }

    Rank ranks() const { return static_cast<Rank>(region_of_.size()); }
    const Place &place(Rank rank) const { return (*places_)[static_cast<std::size_t>(rank)]; }

    Level level() const { return level_; }
    Region regions() const { return static_cast<Region>(members_.size()); }
    Region region_of(Rank rank) const { return region_of_[static_cast<std::size_t>(rank)]; }
    bool local(Rank a, Rank b) const { return region_of(a) == region_of(b); }

    // The ranks of a region in ascending order.
    const std::vector<Rank> &members(Region region) const
    {
        return members_[static_cast<std::size_t>(region)];
    }

    // Whether a rank's node is one region because a rank of the node has no domain; the number of
    // such nodes.
    bool in_whole_node(Rank rank) const { return whole_.count(place(rank).node) != 0; }
    int whole_nodes() const { return static_cast<int>(whole_.size()); }

    std::optional<Level> nearest_common_level(Rank a, Rank b) const
    {
        return nbrhood::nearest_common_level(place(a), place(b));
    }
    Link link(Rank a, Rank b) const { return link_between(place(a), place(b)); }
    // The link between two regions, seen from their lowest ranks.
    Link link_of_regions(Region a, Region b) const
    {
        return link(members(a).front(), members(b).front());
    }

    // The farthest link that a message within a region may cross.
    Link link_within_regions() const;

    // The greatest number of regions on a node.
    int regions_of_node() const;

    // All ranks in locality order: the ranks of a node together, within it the ranks of a socket,
    // and so on inwards. Nodes are in the order of their lowest ranks, domains in that of their
    // numbers, and ranks of an innermost domain ascend.
    std::vector<Rank> in_locality_order() const;

private:
    using Places = std::shared_ptr<const std::vector<Place>>;
    Machine(Places places, Level level);

    // Shared by the views of all levels.
    Places places_ = std::make_shared<const std::vector<Place>>();
    Level level_ = Level::node;
    std::vector<Region> region_of_;
    std::vector<std::vector<Rank>> members_;
    std::unordered_set<std::int32_t> whole_; // nodes
};

// How the ranks of a synthetic machine are distributed to nodes.
enum class Placement { by_slot, by_node };

// The node of each rank when node_sizes[n] ranks run on node n. by_slot fills one node after the
// other; by_node gives the next rank to each node with room in turn.
std::vector<std::int32_t> deal_out(const std::vector<int> &node_sizes, Placement placement);

// A machine with node_sizes[n] ranks on node n, for tests and models.
Machine make_machine(const std::vector<int> &node_sizes, Placement placement = Placement::by_slot);

} // namespace nbrhood
