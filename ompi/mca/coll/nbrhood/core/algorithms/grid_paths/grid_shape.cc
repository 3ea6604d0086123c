// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/grid_paths/grid_shape.h"

#include <algorithm>
#include <set>

namespace nbrhood {

std::vector<int> divisors(int number)
{
    std::vector<int> small, large;
    for (int divisor = 1; divisor <= number / divisor; ++divisor) {
        if (number % divisor == 0) {
            small.push_back(divisor);
            large.push_back(number / divisor);
        }
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    small.erase(std::unique(small.begin(), small.end()), small.end());
    small.erase(small.begin());
    return small;
}

int take_extent(WordReader &words, int &rest)
{
    const int extent = words.take(2, rest);
    if (rest % extent != 0) {
        throw BadMessage("an extent that does not divide the number of ranks");
    }
    rest /= extent;
    return extent;
}

std::vector<int> Grid::coordinates(Rank rank) const
{
    std::vector<int> at(dimensions.size());
    for (std::size_t d = dimensions.size(); d-- > 0;) {
        at[d] = rank % dimensions[d].extent;
        rank /= dimensions[d].extent;
    }
    return at;
}

Rank Grid::rank_at(const std::vector<int> &coordinates) const
{
    Rank rank = 0;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        rank = rank * dimensions[d].extent + coordinates[d];
    }
    return rank;
}

std::vector<Rank> Grid::neighbourhood(Rank rank) const
{
    const std::vector<int> at = coordinates(rank);
    std::vector<Rank> ranks{0};
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        std::vector<Rank> more;
        for (const Rank outer : ranks) {
            for (const Rank reached : reached_from(dimensions[d], at[d])) {
                more.push_back(outer * dimensions[d].extent + reached);
            }
        }
        ranks = std::move(more);
    }
    return ranks;
}

std::int64_t Grid::edges() const
{
    std::int64_t reached = 1;
    std::int64_t ranks = 1;
    for (const GridDimension &dimension : dimensions) {
        reached *= dimension.edges() + dimension.extent;
        ranks *= dimension.extent;
    }
    return reached - ranks;
}

std::int64_t Grid::messages_in_the_middle() const
{
    std::int64_t messages = 0;
    for (const GridDimension &dimension : dimensions) {
        const int middle = dimension.extent / 2;
        messages += received_along(dimension, middle) + sent_along(dimension, middle);
    }
    return messages;
}

std::int64_t Grid::messages() const
{
    std::int64_t ranks = 1;
    for (const GridDimension &dimension : dimensions) {
        ranks *= dimension.extent;
    }
    std::int64_t messages = 0;
    for (const GridDimension &dimension : dimensions) {
        messages += messages_along(dimension) * (ranks / dimension.extent);
    }
    return messages;
}

std::int64_t Grid::stages() const
{
    std::int64_t stages = 0;
    for (const GridDimension &dimension : dimensions) {
        stages += static_cast<std::int64_t>(stage_radii(dimension.radius).size());
    }
    return stages;
}

void Grid::put(WordWriter &words) const
{
    words.put(static_cast<std::int32_t>(dimensions.size()));
    for (const GridDimension &dimension : dimensions) {
        words.put(dimension.extent);
        words.put(dimension.radius);
        words.put(dimension.periodic ? 1 : 0);
    }
    words.put_all(order);
}

Grid Grid::take(WordReader &words, Rank ranks)
{
    Grid grid;
    const int count = words.take(1, kMostDimensions);
    Rank rest = ranks;
    for (int d = 0; d < count; ++d) {
        GridDimension dimension;
        dimension.extent = take_extent(words, rest);
        dimension.radius = words.take(1, dimension.extent - 1);
        dimension.periodic = words.take_flag();
        grid.dimensions.push_back(dimension);
    }
    for (int d = 0; d < count; ++d) {
        grid.order.push_back(words.take(0, count - 1));
    }
    const std::set<int> each(grid.order.begin(), grid.order.end());
    if (rest != 1 || each.size() != grid.order.size()) {
        throw BadMessage("a grid of other ranks, or without an order");
    }
    return grid;
}

namespace {

// The unknown part of a grid, of which some dimensions are known.
struct Rest {
    int ranks;
    std::int64_t sum;     // over all ranks: neighbours and the rank itself
    std::int64_t reached; // the most for one rank
};

void find_grids(const Rest &rest, Grid &known, std::vector<Grid> &found)
{
    if (rest.ranks == 1) {
        if (rest.sum == 1 && rest.reached == 1) {
            found.push_back(known);
        }
        return;
    }
    if (known.dimensions.size() == Grid::kMostDimensions) {
        return;
    }
    for (const int extent : divisors(rest.ranks)) {
        if (!known.dimensions.empty() && extent > known.dimensions.back().extent) {
            return;
        }
        for (const bool periodic : {true, false}) {
            // Greater radii reach no more.
            const int most = periodic ? extent / 2 : extent - 1;
            for (int radius = 1; radius <= most && radius < rest.reached; ++radius) {
                const GridDimension dimension{extent, radius, periodic};
                const int reached = dimension.reached(extent / 2);
                const std::int64_t sum = dimension.edges() + extent;
                if (rest.reached % reached == 0 && rest.sum % sum == 0) {
                    known.dimensions.push_back(dimension);
                    find_grids({rest.ranks / extent, rest.sum / sum, rest.reached / reached}, known,
                               found);
                    known.dimensions.pop_back();
                }
            }
        }
    }
}

} // namespace

std::vector<Grid> grids_with(std::int64_t ranks, std::int64_t edges, std::int64_t busiest)
{
    Grid none;
    std::vector<Grid> found;
    if (busiest + 1 < ranks || edges < ranks * busiest) {
        find_grids({static_cast<int>(ranks), edges + ranks, busiest + 1}, none, found);
    }
    return found;
}

} // namespace nbrhood
