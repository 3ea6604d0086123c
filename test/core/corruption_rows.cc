// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption_rows.h"

#include <climits>
#include <numeric>

#include "algorithms/distance_halving/distance_halving.h"
#include "algorithms/grid_paths/grid_paths.h"
#include "algorithms/grid_paths/grid_shape.h"
#include "corruption_post.h"
#include "friends_world.h"

namespace nbrhood::test {
namespace {

// most: the number of messages changed by accident.
CorruptionResult corrupt(Script &script, Random &random, Graph graph, const Tuning &tuning,
                         Maker maker, int most = INT_MAX)
{
    const bool lies = script.below(2) != 0;
    const bool declined = script.below(6) == 0;
    const std::vector<Task> tasks{{BlockKind::one_per_rank, 0}};
    const int ranks = static_cast<int>(graph.size());
    Construction construction(
        std::move(graph), random_machine(random, ranks), tuning, tasks,
        [&](const std::vector<Traffic> &, bool) { return std::vector<char>(1, declined ? 0 : 1); },
        kNoRank, -1, maker);
    CorruptPost post(
        script, lies, [](int) { return true; }, lies ? INT_MAX : most);
    const bool done = post.run(construction.builders());
    return result_of(construction, tasks, done, post, lies, random);
}

Graph dense_graph(Random &random, int ranks)
{
    return match(dense_lists(random, ranks, draw(random, 3, 9) / 10.0));
}

} // namespace

CorruptionResult corrupt_halving(const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    const int ranks = 2 + static_cast<int>(script.below(11));
    Tuning tuning;
    tuning.values.set(kHalvingCut, chance(random, 0.5) ? Cut::count : Cut::border);
    tuning.values.set(kHalvingOrigins, draw(random, 1, 3));
    return corrupt(script, random, dense_graph(random, ranks), tuning,
                   make_distance_halving_builder, 1);
}

CorruptionResult corrupt_friends(const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    const int ranks = 2 + static_cast<int>(script.below(11));
    const Tuning tuning = random_friends(random);
    return corrupt(script, random,
                   chance(random, 0.5) ? friendly_graph(random, ranks) : dense_graph(random, ranks),
                   tuning, friends_row().make_builder);
}

CorruptionResult corrupt_grids(const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    Grid grid;
    int ranks = 1;
    for (int dimensions = draw(random, 1, 2); dimensions > 0; --dimensions) {
        grid.dimensions.push_back({draw(random, 2, 4), 1, chance(random, 0.5)});
        ranks *= grid.dimensions.back().extent;
    }
    grid.order.resize(grid.dimensions.size());
    std::iota(grid.order.begin(), grid.order.end(), 0);
    Lists lists(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        for (const Rank peer : grid.neighbourhood(rank)) {
            if (peer != rank) {
                lists.add(rank, peer);
            }
        }
    }
    return corrupt(script, random, match(lists), {}, make_grid_paths_builder);
}

} // namespace nbrhood::test
