// An algorithm that tests add to the registry: each block goes straight to its destination, and the
// row has a parameter.
#pragma once

#include <atomic>

#include "algorithms/registry.h"

namespace nbrhood::test {

inline constexpr Typed<int> kEchoTimes{{"echo_times",
                                        "What builders of echo are given",
                                        ValueType::number,
                                        3,
                                        {1, 9},
                                        Equal::yes,
                                        Steers::patterns,
                                        5}};

// kEchoTimes as the latest builder saw it.
extern std::atomic<int> echo_times_seen;

// The row "echo", of neighbor_alltoallv only.
Algorithm echo_row();

} // namespace nbrhood::test
