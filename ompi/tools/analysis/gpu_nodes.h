// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Nodes of AMD GPUs for the tests of leader_scatter: links between dies as recorded on real nodes.
#pragma once

#include <memory>

#include "machine/die_links.h"
#include "machine/machine.h"

namespace nbrhood {

// A node with four MI250 (device 0x740c), whose links are those of the paper's cluster A (figure
// 1): ROCm/rccl, tools/topo_expl/models/topo_8p1h.xml.
DieLinks mi250_links();

// A node with four MI250X, as in Frontier: ROCm/rccl, tools/topo_expl/models/topo_8p1h_3.xml.
DieLinks mi250x_links();

// Nodes with a rank on each die, nodes and dies by slot.
Machine machine_of_dies(int nodes, const DieLinks &links);

} // namespace nbrhood
