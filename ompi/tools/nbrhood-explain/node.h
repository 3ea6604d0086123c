// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The description of a node of a machine.
#pragma once

#include "machine/machine.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// The place of a core within its node: the domains of nbrhood::Place.
using Core = std::array<std::int16_t, nbrhood::kLevels - 1>;

struct Node {
    std::string name;
    int slots = 0;                                  ///< ranks, unless --ranks-per-node gives more
    int most_ranks = 0;                             ///< limit on ranks; 0: no limit
    long line = 0;                                  ///< of its file
    std::shared_ptr<const std::vector<Core>> cores; ///< in the order in which ranks fill them
};

} // namespace nbrhood_tools::explain
