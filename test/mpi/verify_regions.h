// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The regions of the ranks, as far as a test program can know them.
#pragma once

#include <string>
#include <vector>

namespace nbrhood_test {

/// The value of a parameter of the component from the environment, in which mpirun puts it; empty
/// if it was not given.
std::string component_parameter(const char *name);

/// The region of each of the `size` ranks of MPI_COMM_WORLD, with arbitrary numbers; empty if
/// regions follow from bindings, which this program does not know. Collective.
std::vector<int> find_regions(int size);

} // namespace nbrhood_test
