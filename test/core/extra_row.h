// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// An algorithm that tests add to the registry: each block goes directly to its destination, and the
// row has a parameter.
#pragma once

#include <atomic>
#include <vector>

#include "algorithms/registry.h"

namespace nbrhood::test {

inline constexpr Typed<int> kEchoTimes{{"echo_times",
                                        "What builders of echo are given",
                                        ValueType::number,
                                        3,
                                        {1, 9},
                                        Equal::builds,
                                        Steers::patterns,
                                        5}};

// kEchoTimes as the latest builder saw it.
extern std::atomic<int> echo_times_seen;

// The row "echo", of neighbor_alltoallv only.
Algorithm echo_row();

// Rows of neighbor_alltoallv with builders of their own, which count the traffic that
// extra_traffic() returns and build the pattern of echo. number: 0 or 1.
constexpr int kExtraRows = 2;
Algorithm extra_row(int number, LeastTraffic least);
Traffic &extra_traffic(int number); // the same for all ranks; to be set before a creation

// The numbers of the rows whose builders ran on rank 0 since the last call, in the order in which
// they ran.
std::vector<int> take_extra_runs();

} // namespace nbrhood::test
