// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "alltoallv_graph.h"

namespace nbrhood_test {

namespace {

bool chance(std::uint64_t hash, double p)
{
    return Random(hash).chance(p);
}

} // namespace

ChangingGraph::ChangingGraph(Random &choices)
{
    // Most graphs stay, because only there a pattern serves many calls.
    constexpr Pairs kinds[] = {Pairs::stay, Pairs::stay,          Pairs::stay,
                               Pairs::stay, Pairs::change_slowly, Pairs::change_slowly,
                               Pairs::stay, Pairs::change_always, Pairs::dense};
    constexpr double densities[] = {0, 0.05, 0.1, 0.2, 0.3};
    constexpr int most[] = {1, 2, 40, 300, 1500};
    pairs_ = kinds[choices.below(9)];
    density_ = pairs_ == Pairs::dense ? 0.95 : densities[choices.below(5)];
    sizes_ = static_cast<Sizes>(choices.below(4));
    most_ints_ = most[choices.below(5)];
    seed_ = choices.next();
}

// Pairs that change slowly are drawn again every 60 calls, each pair in a call of its own.
bool ChangingGraph::exchange(long call, int source, int destination) const
{
    constexpr std::uint64_t period = 60;
    std::uint64_t epoch = 0;
    if (pairs_ == Pairs::change_slowly)
        epoch = (static_cast<std::uint64_t>(call) + hash_of(seed_, source, destination) % period)
                / period;
    if (pairs_ == Pairs::change_always)
        epoch = static_cast<std::uint64_t>(call);
    return chance(hash_of(seed_, 1, source, destination, epoch), density_);
}

// Where sizes change from call to call, some blocks of pairs that otherwise exchange data are
// empty.
int ChangingGraph::ints(long call, int source, int destination) const
{
    if (!exchange(call, source, destination))
        return 0;
    std::uint64_t drawn = hash_of(seed_, 2);
    if (sizes_ == Sizes::of_a_pair)
        drawn = hash_of(seed_, 3, source, destination);
    if (sizes_ == Sizes::of_a_call)
        drawn = hash_of(seed_, 4, call);
    if (sizes_ == Sizes::none) {
        drawn = hash_of(seed_, 5, call, source, destination);
        if (chance(drawn, 0.1))
            return 0;
    }
    return 1 + Random(drawn).below(most_ints_);
}

std::string ChangingGraph::name() const
{
    const char *const pairs[] = {"that stays", "that changes slowly", "that changes always",
                                 "that is dense"};
    const char *const sizes[] = {"of one size", "of a size for each pair",
                                 "of a size for each call", "of all sizes"};
    return std::string("graph ") + pairs[static_cast<int>(pairs_)] + " with blocks "
           + sizes[static_cast<int>(sizes_)];
}

} // namespace nbrhood_test
