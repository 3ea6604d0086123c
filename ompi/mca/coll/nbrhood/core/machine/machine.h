// Where the ranks of a communicator run.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// A region is the group of ranks within which messages are cheap: a node, or a socket or NUMA
// domain of it.
using Region = std::int32_t;

// Where one rank runs, as it finds out by itself. `node` is any number that the ranks of a node
// share and others do not; `domain` numbers the sockets or NUMA domains of that node, whichever
// regions are to be. Where regions are to be nodes, all ranks have domain 0.
constexpr std::int32_t kNoDomain = -1; // not bound, or to several domains
struct Place {
    std::int32_t node = 0;
    std::int32_t domain = 0;
};

// How near another rank is, as far as this rank knows before all have told their places.
enum class Nearness : std::uint8_t { elsewhere, same_node, same_domain };

// The ranks of a communicator and their regions. Regions are numbered from 0 in the order of their
// lowest ranks; the same object results on every rank.
class Machine {
public:
    Machine() = default;

    // region_of[r] is any value that ranks of one region share; it is renumbered here.
    explicit Machine(const std::vector<std::int32_t> &region_of);

    Rank ranks() const { return static_cast<Rank>(region_of_.size()); }
    Region regions() const { return static_cast<Region>(members_.size()); }
    Region region_of(Rank rank) const { return region_of_[static_cast<std::size_t>(rank)]; }
    bool local(Rank a, Rank b) const { return region_of(a) == region_of(b); }

    // The ranks of a region in ascending order.
    const std::vector<Rank> &members(Region region) const
    {
        return members_[static_cast<std::size_t>(region)];
    }

private:
    std::vector<Region> region_of_;
    std::vector<std::vector<Rank>> members_;
};

// The regions that follow from the places of all ranks.
struct Division {
    Machine machine;
    std::vector<char>
        whole;           // by rank: its node is one region because some rank there has no domain
    int whole_nodes = 0; // how many such nodes there are
};

// Makes regions of places (one a rank, in rank order): the domains of a node where each of its
// ranks has one, otherwise the node. The same result on every rank, as all see the same places.
Division divide(const std::vector<Place> &places);

// How ranks are dealt out to nodes in a synthetic machine.
enum class Placement { by_slot, by_node };

// The node of each rank when node_sizes[n] ranks run on node n. by_slot fills one node after the
// other; by_node deals the ranks out in turn to the nodes that still have room.
std::vector<std::int32_t> deal_out(const std::vector<int> &node_sizes, Placement placement);

// A machine with node_sizes[n] ranks on node n, for tests and models.
Machine make_machine(const std::vector<int> &node_sizes, Placement placement = Placement::by_slot);

} // namespace nbrhood
