// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Information on coll/nbrhood from MPI's tool interface.
#pragma once

#include <string>
#include <vector>

namespace nbrhood_tools {

/// True if the component is loaded and may be used in this process. Needs MPI initialised. Called
/// on rank 0.
bool component_loaded();

/// The algorithms that the component lists for a collective, such as "neighbor_alltoallv"; empty if
/// it does not tell. Needs MPI initialised. Called on rank 0, for a warning about names that the
/// component does not know.
std::vector<std::string> listed_algorithms(const std::string &collective);

} // namespace nbrhood_tools
