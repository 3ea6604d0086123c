// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which ranks form a region, as far as a test program can know.
#pragma once

#include <string>
#include <vector>

namespace nbrhood_test {

/// The text of a parameter of the component in the environment, where mpirun puts it; empty where
/// it was not given.
std::string component_parameter(const char *name);

/// The region of each of the `size` ranks of MPI_COMM_WORLD, by any numbers; empty where they
/// follow from bindings, of which this program knows nothing. Collective.
std::vector<int> find_regions(int size);

} // namespace nbrhood_test
