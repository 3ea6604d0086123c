// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Machines from a description in one line, for tests and models.
#pragma once

#include <array>
#include <string_view>

#include "machine/machine.h"

namespace nbrhood {

// A machine described like "node:4 socket:2 core:8" (the style of hwloc's synthetic topologies):
// four nodes of two sockets of eight cores. Levels are node (the first), socket (or package,
// hwloc's word for it), numa, l3, gpu, die, and core (the last), from the outside in; all but node
// may be left out. Ranks fill the machine by slot: core after core, socket after socket, node after
// node.
class SyntheticMachine {
public:
    // Throws std::invalid_argument with the character and the reason.
    explicit SyntheticMachine(std::string_view text);

    // The number of ranks that the machine holds.
    Rank slots() const { return slots_; }

    // Place of the rank with this number in the job, 0 <= slot < slots().
    Place place(Rank slot) const;

    // Ranks 0 to ranks - 1 <= slots() - 1, with regions of that level.
    Machine machine(Rank ranks, Level level = Level::node) const;

private:
    Rank slots_ = 1;
    // By level: the slots of one domain; 0 if the machine has no such level.
    std::array<Rank, kLevels> slots_of_{};
};

} // namespace nbrhood
