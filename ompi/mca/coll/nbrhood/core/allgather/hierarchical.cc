// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/hierarchical.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace nbrhood {

namespace {

// A binomial tree of `count` nodes, seen from one of them. A node's subtree is a range: the node
// itself and those that follow it.
class Tree {
public:
    Tree(Rank count, Rank own, bool flat) : own_(own), end_(own + 1)
    {
        for (Rank width = 1; width < count; width = flat ? width + 1 : 2 * width) {
            if (flat ? own != 0 : (own & width) != 0) {
                parent_ = flat ? 0 : own - width;
                break;
            }
            if (own + width < count) {
                children_.push_back(
                    PositionRange{own + width, flat ? 1 : std::min(width, count - own - width)});
                end_ = children_.back().end();
            }
        }
    }

    bool root() const { return own_ == 0; }
    Rank parent() const { return parent_; }
    // The subtree of each child, beginning with the nearest child.
    const std::vector<PositionRange> &children() const { return children_; }
    PositionRange branch() const { return PositionRange{own_, end_ - own_}; }

private:
    Rank own_;
    Rank end_;
    Rank parent_ = 0;
    std::vector<PositionRange> children_;
};

// Gathers and broadcasts along a tree. Its nodes are regions, each represented by its first rank,
// or the ranks of one region.
class TreeExchange {
public:
    // starts: the first position of each node, and the end of the last.
    TreeExchange(AllgatherOperations &operations, const Tree &tree, std::vector<Rank> starts)
        : operations_(operations), tree_(tree), starts_(std::move(starts))
    {}

    void gather()
    {
        for (const PositionRange &branch : tree_.children()) {
            operations_.receive(start(branch.first), Positions(positions(branch)));
        }
        if (!tree_.root()) {
            operations_.send(start(tree_.parent()), Positions(positions(tree_.branch())));
        }
    }
    void tell()
    {
        if (!tree_.root()) {
            operations_.receive(start(tree_.parent()), all_but(tree_.branch()));
        }
        for (auto branch = tree_.children().rbegin(); branch != tree_.children().rend(); ++branch) {
            operations_.send(start(branch->first), all_but(*branch));
        }
    }

private:
    Rank start(Rank node) const { return starts_[static_cast<std::size_t>(node)]; }
    PositionRange positions(PositionRange nodes) const
    {
        return PositionRange{start(nodes.first), start(nodes.end()) - start(nodes.first)};
    }
    Positions all_but(PositionRange nodes) const
    {
        Positions all(PositionRange{0, operations_.ranks()});
        all.remove(positions(nodes));
        return all;
    }

    AllgatherOperations &operations_;
    const Tree &tree_;
    std::vector<Rank> starts_;
};

// Positions of `count` regions from `first` on, cyclically.
Positions of_regions(const std::vector<PositionRange> &regions, std::size_t first,
                     std::size_t count)
{
    Positions all;
    for (std::size_t i = 0; i < count; ++i) {
        all.add(regions[(first + i) % regions.size()]);
    }
    return all;
}

// Bruck's allgather among the first ranks of the regions.
void exchange_as_bruck(AllgatherOperations &operations, const std::vector<PositionRange> &regions,
                       std::size_t own)
{
    for (std::size_t distance = 1; distance < regions.size(); distance *= 2) {
        const std::size_t count = std::min(distance, regions.size() - distance);
        const std::size_t from = (own + distance) % regions.size();
        const std::size_t to = (own + regions.size() - distance) % regions.size();
        operations.send(regions[to].first, of_regions(regions, own, count));
        operations.receive(regions[from].first, of_regions(regions, from, count));
    }
}

// The first positions of all regions, and the end of the last.
std::vector<Rank> starts_of(const std::vector<PositionRange> &regions)
{
    std::vector<Rank> starts;
    starts.reserve(regions.size() + 1);
    for (const PositionRange &region : regions) {
        starts.push_back(region.first);
    }
    starts.push_back(regions.back().end());
    return starts;
}

std::vector<Rank> ranks_of(PositionRange region)
{
    std::vector<Rank> starts(static_cast<std::size_t>(region.count) + 1);
    std::iota(starts.begin(), starts.end(), region.first);
    return starts;
}

} // namespace

AllgatherPattern hierarchical(const AllgatherShape &shape, Rank rank)
{
    const Rank own = shape.position_of[static_cast<std::size_t>(rank)];
    AllgatherOperations operations(shape, own, false);
    const std::vector<PositionRange> &regions = shape.regions();
    std::size_t region = 0;
    while (regions[region].end() <= own) {
        ++region;
    }
    const PositionRange ranks = regions[region];
    const Tree inside(ranks.count, own - ranks.first, shape.shares_cores);
    TreeExchange in_region(operations, inside, ranks_of(ranks));
    in_region.gather();
    if (inside.root() && shape.shares_cores) {
        const Tree outside(static_cast<Rank>(regions.size()), static_cast<Rank>(region), false);
        TreeExchange among_regions(operations, outside, starts_of(regions));
        among_regions.gather();
        among_regions.tell();
    } else if (inside.root()) {
        exchange_as_bruck(operations, regions, region);
    }
    in_region.tell();
    return operations.take();
}

} // namespace nbrhood
