// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/grid_paths/grid_candidates.h"

#include <algorithm>
#include <numeric>

namespace nbrhood {
namespace {

void sort_out(std::vector<Rank> &numbers)
{
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

} // namespace

std::vector<Rank> symmetric_neighbourhood(const Neighbourhood &neighbourhood)
{
    const auto peers_of = [&](const std::vector<EdgeEnd> &ends) {
        std::vector<Rank> peers{neighbourhood.rank};
        for (const EdgeEnd &end : ends) {
            if (end.peer != kNoRank) {
                peers.push_back(end.peer);
            }
        }
        std::sort(peers.begin(), peers.end());
        return peers;
    };
    std::vector<Rank> peers = peers_of(neighbourhood.out);
    const bool simple = std::adjacent_find(peers.begin(), peers.end()) == peers.end();
    return simple && peers == peers_of(neighbourhood.in) ? peers : std::vector<Rank>{};
}

GridCandidates::GridCandidates(const Neighbourhood &neighbourhood, const KnownRanks &known_ranks,
                               Rank ranks)
{
    const Rank self = neighbourhood.rank;
    const std::vector<Rank> seen = symmetric_neighbourhood(neighbourhood);
    any_ = seen.size() == static_cast<std::size_t>(ranks);
    Candidate none;
    if (!any_ && !seen.empty()) {
        find(seen, self, ranks, none);
    }
    for (Candidate &candidate : candidates_) {
        Rank stride = ranks; // from one coordinate to the next
        for (Axis &axis : candidate) {
            const Rank row = stride;
            stride /= axis.extent;
            for (const EdgeEnd &end : neighbourhood.out) {
                // Ranks of the same row differ in this coordinate only.
                if (end.peer != kNoRank && end.peer / row == self / row
                    && end.peer % stride == self % stride
                    && known_ranks.link(self, end.peer) == Link::network) {
                    ++axis.crossings;
                }
            }
        }
    }
}

// Finds candidates recursively. seen: the neighbourhood of a rank in a grid of `ranks` ranks;
// inner: the known dimensions, which vary faster. Tries each extent for which the neighbourhood is
// a product.
void GridCandidates::find(const std::vector<Rank> &seen, Rank self, Rank ranks, Candidate &inner)
{
    if (ranks == 1) {
        candidates_.emplace_back(inner.rbegin(), inner.rend());
        return;
    }
    if (seen.size() < 2 || inner.size() == Grid::kMostDimensions) {
        return;
    }
    for (const int extent : divisors(ranks)) {
        std::vector<Rank> reached, rest;
        for (const Rank rank : seen) {
            reached.push_back(rank % extent);
            rest.push_back(rank / extent);
        }
        sort_out(reached);
        sort_out(rest);
        if (reached.size() < 2 || reached.size() * rest.size() != seen.size()) {
            continue;
        }
        const Axis axis = axis_of(extent, self % extent, reached);
        if (axis.possible() && candidates_.size() < kMost) {
            inner.push_back(axis);
            find(rest, self / extent, ranks / extent, inner);
            inner.pop_back();
        }
    }
}

// The radii with which a coordinate reaches these coordinates.
GridCandidates::Axis GridCandidates::axis_of(int extent, int at, const std::vector<Rank> &reached)
{
    Axis axis;
    axis.extent = extent;
    for (const bool periodic : {false, true}) {
        Radii &radii = periodic ? axis.periodic : axis.open;
        for (int radius = 1; radius < extent; ++radius) {
            const GridDimension dimension{extent, radius, periodic};
            const int size = dimension.reached(at);
            if (size > static_cast<int>(reached.size())) {
                break; // greater radii do not, either
            }
            if (size == static_cast<int>(reached.size())
                && (size == extent || reached_from(dimension, at) == reached)) {
                radii.least = radii.most == 0 ? radius : radii.least;
                radii.most = radius;
            }
        }
    }
    return axis;
}

bool GridCandidates::merge(Candidate &own, const Candidate &other)
{
    bool possible = own.size() == other.size();
    for (std::size_t d = 0; possible && d < own.size(); ++d) {
        const auto merge_radii = [](Radii &radii, const Radii &others) {
            radii.least = std::max(radii.least, others.least);
            radii.most = std::min(radii.most, others.most);
        };
        merge_radii(own[d].open, other[d].open);
        merge_radii(own[d].periodic, other[d].periodic);
        own[d].crossings += other[d].crossings;
        possible = own[d].extent == other[d].extent && own[d].possible();
    }
    return possible;
}

void GridCandidates::merge(const GridCandidates &other)
{
    if (any_ || other.any_) {
        *this = any_ ? other : *this;
        return;
    }
    std::vector<Candidate> kept;
    for (const Candidate &own : candidates_) {
        for (const Candidate &others : other.candidates_) {
            Candidate merged = own;
            if (merge(merged, others)) {
                kept.push_back(std::move(merged));
            }
        }
    }
    candidates_ = std::move(kept);
}

// If a dimension may be periodic or open, every rank reaches all of it. The grid is then periodic,
// because blocks have shorter routes.
Grid GridCandidates::grid_of(const Candidate &candidate)
{
    Grid grid;
    for (const Axis &axis : candidate) {
        const bool periodic = axis.periodic.least <= axis.periodic.most;
        grid.dimensions.push_back(
            {axis.extent, periodic ? axis.periodic.least : axis.open.least, periodic});
    }
    grid.order.resize(candidate.size());
    std::iota(grid.order.begin(), grid.order.end(), 0);
    // Fewest blocks cross the network if the dimension with the greatest part of crossing edges
    // comes first, whatever the number of its edges.
    std::vector<double> crossing;
    for (std::size_t d = 0; d < candidate.size(); ++d) {
        crossing.push_back(static_cast<double>(candidate[d].crossings) * candidate[d].extent
                           / static_cast<double>(grid.dimensions[d].edges()));
    }
    std::stable_sort(grid.order.begin(), grid.order.end(), [&](int a, int b) {
        return crossing[static_cast<std::size_t>(a)] > crossing[static_cast<std::size_t>(b)];
    });
    return grid;
}

std::optional<Grid> GridCandidates::best() const
{
    std::optional<Grid> best;
    for (const Candidate &candidate : candidates_) {
        Grid grid = grid_of(candidate);
        const std::int64_t messages = grid.messages();
        if (messages < grid.edges() && (!best || messages < best->messages())) {
            best = std::move(grid);
        }
    }
    return best;
}

void GridCandidates::put(WordWriter &words) const
{
    words.put(any_ ? 1 : 0);
    words.put(static_cast<std::int32_t>(candidates_.size()));
    for (const Candidate &candidate : candidates_) {
        words.put(static_cast<std::int32_t>(candidate.size()));
        for (const Axis &axis : candidate) {
            for (const int number : {axis.extent, axis.open.least, axis.open.most,
                                     axis.periodic.least, axis.periodic.most}) {
                words.put(number);
            }
            words.put_long(axis.crossings);
        }
    }
}

GridCandidates::GridCandidates(WordReader &words, Rank ranks)
{
    any_ = words.take_flag();
    const int count = words.take(0, any_ ? 0 : static_cast<int>(kMost));
    for (int c = 0; c < count; ++c) {
        Candidate candidate(static_cast<std::size_t>(words.take(1, Grid::kMostDimensions)));
        Rank rest = ranks;
        for (Axis &axis : candidate) {
            axis.extent = take_extent(words, rest);
            for (Radii *radii : {&axis.open, &axis.periodic}) {
                radii->least = words.take(1, axis.extent - 1);
                radii->most = words.take(0, axis.extent - 1);
            }
            axis.crossings = words.take_long(0, std::int64_t{ranks} * ranks);
        }
        if (rest != 1 || !std::all_of(candidate.begin(), candidate.end(), [](const Axis &axis) {
                return axis.possible();
            })) {
            throw BadMessage("a grid that cannot be");
        }
        candidates_.push_back(std::move(candidate));
    }
}

} // namespace nbrhood
