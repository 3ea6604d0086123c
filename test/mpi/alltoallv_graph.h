// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The graphs of a sequence of alltoallvs: which pairs of ranks exchange data in which call, and how
// much.
#pragma once

#include "common_random.h"

#include <cstdint>
#include <string>

namespace nbrhood_test {

/// Sizes of the blocks of all calls on one communicator. Ranks are those of MPI_COMM_WORLD.
class ChangingGraph {
public:
    /// Draws the kind of graph; the same on all ranks if the random numbers are.
    explicit ChangingGraph(Random &choices);

    /// Ints that `source` sends to `destination` in a call.
    int ints(long call, int source, int destination) const;
    /// For messages.
    std::string name() const;

private:
    /// How the set of pairs changes.
    enum class Pairs { stay, change_slowly, change_always, dense };
    /// Which blocks have one size.
    enum class Sizes { all, of_a_pair, of_a_call, none };

    bool exchange(long call, int source, int destination) const;

    Pairs pairs_;
    Sizes sizes_;
    double density_;
    int most_ints_;
    std::uint64_t seed_;
};

} // namespace nbrhood_test
