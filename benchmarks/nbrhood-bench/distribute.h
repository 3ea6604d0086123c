// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Graphs over the ranks of a communicator.
#pragma once

#include "common/graph.h"
#include "measuring/mpi_headers.h"

namespace nbrhood_tools::bench {

/// Builds this rank's part of the graph. Collective over `comm`. Files are read on rank 0 only.
/// Throws InputError on every rank when the file is unusable.
Neighbourhood make_neighbourhood(const GraphSpec &spec, MPI_Comm comm);

/// The same for several graphs: that of make_neighbourhood(), and graphs in which the ranks have
/// changed places at random. For computed graphs only.
std::vector<Neighbourhood> make_changing_neighbourhoods(const GraphSpec &spec, int graphs,
                                                        MPI_Comm comm);

} // namespace nbrhood_tools::bench
