// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The GPU dies of a machine's nodes.
#pragma once

#include "machine/die_table.h"
#include "machine/machine.h"

#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// Reads the files of a value of coll_nbrhood_gpu_topology, "TABLE" or "TABLE,XML", for nodes as
/// `machine` describes them (see MachineOptions; empty: not described in a line). Throws
/// InputError.
nbrhood::DieTable read_gpu_topology(const std::string &names, const std::string &machine);

/// Puts the ranks of each node on its dies in turn, as the component does. Ranks of a machine that
/// has dies of its own, which must be the same, stay on them.
void put_on_dies(const nbrhood::DieTable &table, std::vector<nbrhood::Place> &places);

/// The table in the format of a file, with the hops between dies as comments.
std::string gpu_topology_text(const nbrhood::DieTable &table);

} // namespace nbrhood_tools::explain
