// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Topologies in hwloc's XML format.
#pragma once

#include "node.h"

namespace nbrhood_tools::explain {

/// Reads what "lstopo FILE.xml" wrote on one node and returns the node's cores (its hardware
/// threads, if the file does not say which of these share a core) in hwloc's order, which is socket
/// after socket. Sockets, NUMA domains and L3 caches are numbered as coll/nbrhood does on such a
/// node for a rank bound to the core. Throws InputError with the file and the reason.
std::vector<Core> read_topology_file(const std::string &path);

} // namespace nbrhood_tools::explain
