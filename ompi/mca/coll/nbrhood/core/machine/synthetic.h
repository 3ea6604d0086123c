// Machines made up by a description in one line, for tests and models.
#pragma once

#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace nbrhood {

// What a region is: the MCA parameter coll_nbrhood_region.
enum class RegionKind : std::uint8_t { node, socket, numa };
constexpr int kRegionKinds = 3;

// "node", "socket", "numa"; null when there is no such kind.
const char *region_kind_name(int kind);

// A machine described like "node:4 socket:2 core:8" (the style of hwloc's synthetic topologies):
// four nodes of two sockets of eight cores. Levels are node (the first), socket or package, numa,
// and core (the last), from the outside in; all but node may be left out. Ranks fill it by slot:
// core after core, socket after socket, node after node.
class SyntheticMachine {
public:
    // Throws std::invalid_argument, which says at which character what is wrong.
    explicit SyntheticMachine(std::string_view text);

    // How many ranks it holds.
    Rank slots() const { return slots_; }

    // Where the rank with this number in the job runs, 0 <= slot < slots(). Where regions are nodes
    // or the description has no level of that kind, a node is one domain.
    Place place(Rank slot, RegionKind kind) const;

    // The regions of ranks 0 to ranks - 1 <= slots() - 1.
    Machine machine(Rank ranks, RegionKind kind) const;

private:
    Rank slots_ = 1;
    Rank slots_of_node_ = 1;
    std::vector<Rank> slots_of_domain_; // by RegionKind
};

} // namespace nbrhood
