// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/multilane.h"

#include <algorithm>
#include <vector>

#include "allgather/locality_bruck.h"

namespace nbrhood {

namespace {

class Lanes {
public:
    explicit Lanes(const AllgatherShape &shape) : regions_(shape.regions())
    {
        for (const PositionRange &region : regions_) {
            lanes_ = std::max(lanes_, region.count);
        }
    }

    Rank lanes() const { return lanes_; }
    std::size_t regions() const { return regions_.size(); }
    PositionRange region(std::size_t number) const { return regions_[number]; }
    std::size_t region_of(Rank position) const
    {
        std::size_t region = 0;
        while (regions_[region].end() <= position) {
            ++region;
        }
        return region;
    }
    // The rank of a region that is on a lane.
    Rank on_lane(std::size_t region, Rank lane) const
    {
        const PositionRange ranks = regions_[region];
        return ranks.first + static_cast<Rank>(std::int64_t{lane} * ranks.count / lanes_);
    }
    // The blocks of a lane from `count` regions, from `first` on, cyclically.
    Positions blocks(Rank lane, std::size_t first, std::size_t count) const
    {
        Positions all;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t region = (first + i) % regions_.size();
            const Rank holder = on_lane(region, lane);
            // A rank's own block is on the first of its lanes.
            if (lane == 0 || on_lane(region, lane - 1) != holder) {
                all.add(PositionRange{holder, 1});
            }
        }
        return all;
    }

private:
    const std::vector<PositionRange> &regions_;
    Rank lanes_ = 0;
};

} // namespace

AllgatherPattern multilane(const AllgatherShape &shape, Rank rank)
{
    const Rank own = shape.position_of[static_cast<std::size_t>(rank)];
    AllgatherOperations operations(shape, own, false);
    const Lanes lanes(shape);
    const std::size_t region = lanes.region_of(own);
    const PositionRange ranks = lanes.region(region);
    std::vector<Positions> pieces(static_cast<std::size_t>(ranks.count));
    for (Rank lane = 0; lane < lanes.lanes(); ++lane) {
        const Rank holder = lanes.on_lane(region, lane);
        pieces[static_cast<std::size_t>(holder - ranks.first)].add(
            lanes.blocks(lane, 0, lanes.regions()));
    }
    for (std::size_t distance = 1; distance < lanes.regions(); distance *= 2) {
        const std::size_t count = std::min(distance, lanes.regions() - distance);
        const std::size_t from = (region + distance) % lanes.regions();
        const std::size_t to = (region + lanes.regions() - distance) % lanes.regions();
        for (Rank lane = 0; lane < lanes.lanes(); ++lane) {
            if (lanes.on_lane(region, lane) == own) {
                operations.send(lanes.on_lane(to, lane), lanes.blocks(lane, region, count));
                operations.receive(lanes.on_lane(from, lane), lanes.blocks(lane, from, count));
            }
        }
    }
    gather_pieces(operations, shape, ranks, std::move(pieces), shape.levels.size());
    return operations.take();
}

} // namespace nbrhood
