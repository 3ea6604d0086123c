// Where the ranks of a communicator run.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// A region is the group of ranks within which messages are cheap: here the node.
using Region = std::int32_t;

// The ranks of a communicator and their regions. Regions are numbered from 0 in the order of their
// lowest ranks; the same object results on every rank.
class Machine {
public:
    Machine() = default;

    // region_of[r] is any value that ranks of one region share (the glue gives the lowest rank of
    // r's node); it is renumbered here.
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

// How ranks are dealt out to nodes in a synthetic machine.
enum class Placement { by_slot, by_node };

// A machine with node_sizes[n] ranks on node n, for tests and models. by_slot fills one node after
// the other; by_node deals the ranks out in turn to the nodes that still have room.
Machine make_machine(const std::vector<int> &node_sizes, Placement placement = Placement::by_slot);

} // namespace nbrhood
