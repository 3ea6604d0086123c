#include "allgather/hierarchical.h"

#include <algorithm>
#include <vector>

namespace nbrhood {

namespace {

// The tree inside a region: a rank is in charge of itself and of those that follow it.
class RegionTree {
public:
    RegionTree(PositionRange region, Rank own, bool flat)
        : region_(region), own_(own - region.first)
    {
        const Rank ranks = region.count;
        if (flat) {
            parent_ = 0;
            for (Rank child = 1; own_ == 0 && child < ranks; ++child) {
                children_.push_back(PositionRange{region.first + child, 1});
            }
            return;
        }
        for (Rank width = 1; width < ranks; width *= 2) {
            if ((own_ & width) != 0) {
                parent_ = own_ - width;
                break;
            }
            if (own_ + width < ranks) {
                children_.push_back(PositionRange{region.first + own_ + width,
                                                  std::min(width, ranks - own_ - width)});
            }
        }
    }

    bool root() const { return own_ == 0; }
    Rank parent() const { return region_.first + parent_; }
    // Of each child the ranks that it is in charge of, itself first; from the nearest.
    const std::vector<PositionRange> &children() const { return children_; }
    PositionRange own_branch() const
    {
        const Rank first = region_.first + own_;
        return PositionRange{first,
                             (children_.empty() ? first + 1 : children_.back().end()) - first};
    }

private:
    PositionRange region_;
    Rank own_;
    Rank parent_ = 0;
    std::vector<PositionRange> children_;
};

// What the regions from `first` on have, as far around as `count` regions.
Positions of_regions(const std::vector<PositionRange> &regions, std::size_t first,
                     std::size_t count)
{
    Positions all;
    for (std::size_t i = 0; i < count; ++i) {
        all.add(regions[(first + i) % regions.size()]);
    }
    return all;
}

Positions all_but(const AllgatherShape &shape, PositionRange range)
{
    Positions all(PositionRange{0, shape.ranks()});
    all.remove(range);
    return all;
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
    const RegionTree tree(regions[region], own, shape.shares_cores);
    for (const PositionRange &branch : tree.children()) {
        operations.receive(branch.first, Positions(branch));
    }
    if (!tree.root()) {
        operations.send(tree.parent(), Positions(tree.own_branch()));
        operations.receive(tree.parent(), all_but(shape, tree.own_branch()));
    }
    for (std::size_t distance = 1; tree.root() && distance < regions.size(); distance *= 2) {
        const std::size_t count = std::min(distance, regions.size() - distance);
        const std::size_t from = (region + distance) % regions.size();
        const std::size_t to = (region + regions.size() - distance) % regions.size();
        operations.send(regions[to].first, of_regions(regions, region, count));
        operations.receive(regions[from].first, of_regions(regions, from, count));
    }
    for (auto branch = tree.children().rbegin(); branch != tree.children().rend(); ++branch) {
        operations.send(branch->first, all_but(shape, *branch));
    }
    return operations.take();
}

} // namespace nbrhood
