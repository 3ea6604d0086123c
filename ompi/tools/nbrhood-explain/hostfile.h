// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Hostfiles of Open MPI.
#pragma once

#include "node.h"

namespace nbrhood_tools::explain {

/// Reads lines such as "node01 slots=7 max_slots=14 sockets=2 cores=18" and returns the nodes in
/// order, one at least. As in Open MPI a host without slots= has as many slots as max_slots= says,
/// or as it has cores, or else one, and one more for each further line with only its name. sockets=
/// (default 1) counts the sockets of the node, cores= the cores of each socket; without cores= a
/// node has as many cores as slots. Throws InputError with the file, the line and the reason.
std::vector<Node> read_hostfile(const std::string &path);

/// The same for the text of a file, which `path` names in messages.
std::vector<Node> parse_hostfile(const std::string &text, const std::string &path);

} // namespace nbrhood_tools::explain
