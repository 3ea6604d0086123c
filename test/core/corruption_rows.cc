// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption_rows.h"

#include <algorithm>
#include <climits>
#include <iterator>
#include <numeric>

#include "algorithms/grid_paths/grid_shape.h"
#include "corruption_post.h"
#include "friends_world.h"
#include "select/model.h"

namespace nbrhood::test {
namespace {

Graph grid_graph(Random &random, int most)
{
    Grid grid;
    int ranks = 1;
    for (int dimensions = draw(random, 1, 2); dimensions > 0; --dimensions) {
        grid.dimensions.push_back(
            {draw(random, 2, std::max(2, std::min(4, most / ranks))), 1, chance(random, 0.5)});
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
    return match(lists);
}

// A graph of up to 12 ranks on which some algorithm sends many messages.
Graph some_graph(Random &random)
{
    const int ranks = draw(random, 2, 12);
    switch (draw(random, 0, 2)) {
    case 0:
        return match(dense_lists(random, ranks, draw(random, 3, 9) / 10.0));
    case 1:
        return friendly_graph(random, ranks);
    default:
        return grid_graph(random, 12);
    }
}

// The numbers are small because the graphs are small.
ParameterValues random_values(Random &random, const Algorithm &row)
{
    ParameterValues values;
    for (const Parameter *parameter : row.parameters) {
        const auto [least, most] = parameter->range;
        if (parameter->type == ValueType::name) {
            const auto names = names_of_values(*parameter);
            const int place = draw(random, 0, static_cast<int>(names.size()) - 1);
            values.set_number(*parameter, std::next(names.begin(), place)->first);
        } else if (parameter->type == ValueType::flag || parameter->type == ValueType::number) {
            values.set_number(*parameter, std::min(least + draw(random, 0, 3), most));
        }
    }
    return values;
}

} // namespace

CorruptionResult corrupt_row(const Algorithm &row, const std::uint8_t *data, std::size_t size)
{
    Script script(data, size);
    Random random(script.bits(2));
    const bool lies = script.below(2) != 0;
    const bool declined = script.below(6) == 0;
    Tuning tuning;
    tuning.values = random_values(random, row);
    Graph graph = some_graph(random);
    Machine machine = random_machine(random, static_cast<int>(graph.size()));
    for (int more = 20; more > 0 && row.least && !row.least(find_facts(graph, machine, 1));
         --more) {
        graph = some_graph(random);
        machine = random_machine(random, static_cast<int>(graph.size()));
    }
    const std::vector<Task> tasks{{BlockKind::one_per_rank, row.variant}};
    Construction construction(
        std::move(graph), machine, tuning, tasks,
        [&](const std::vector<Traffic> &, bool) { return std::vector<char>(1, declined ? 0 : 1); },
        kNoRank, -1, row.make_builder);
    // One of several accidents may hide another.
    CorruptPost post(
        script, lies, [](int) { return true; }, lies ? INT_MAX : 1);
    const bool done = post.run(construction.builders());
    return result_of(construction, tasks, done, post, lies, random);
}

} // namespace nbrhood::test
