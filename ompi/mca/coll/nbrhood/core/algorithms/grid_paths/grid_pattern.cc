// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/grid_paths/grid_pattern.h"

#include <array>
#include <unordered_map>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

// By the place of a dimension in the order; kLarge is left to large blocks.
constexpr std::array<std::uint8_t, Grid::kMostDimensions> kPhaseOf{1, 2, 3, 5, 6, 7};

class GridPattern {
public:
    GridPattern(const Neighbourhood &neighbourhood, const Grid &grid)
        : neighbourhood_(neighbourhood), grid_(grid), at_(grid.coordinates(neighbourhood.rank))
    {
        for (std::uint32_t slot = 0; slot < neighbourhood.in.size(); ++slot) {
            slot_of_[neighbourhood.in[slot].peer] = slot;
        }
        for (const int d : grid.order) {
            add_leg(static_cast<std::size_t>(d));
        }
        pattern_.rank = neighbourhood.rank;
        pattern_.kind = BlockKind::one_per_rank;
    }

    Pattern make()
    {
        for (std::size_t l = 0; l < legs_.size(); ++l) {
            int from = 0;
            for (const int to : stage_radii(dimension(legs_[l]).radius)) {
                const bool last = l + 1 == legs_.size() && to == dimension(legs_[l]).radius;
                add_stage(l, from, to, last);
                from = to;
            }
        }
        pattern_.operations.insert(pattern_.operations.end(), sends_.begin(), sends_.end());
        if (kept_ > 1) {
            add_copies();
        }
        append_edges(
            neighbourhood_, Carry::direct_if_large, kLarge, [](Rank) { return true; }, pattern_);
        return std::move(pattern_);
    }

private:
    // A dimension that blocks travel along, and the part of its neighbourhood in staging, which is
    // passed on.
    struct Leg {
        std::size_t dimension;
        int below; // offsets from -below to above
        int above;
        std::uint32_t stride; // in staging, from an offset to the next
    };

    const GridDimension &dimension(const Leg &leg) const { return grid_.dimensions[leg.dimension]; }

    void add_leg(std::size_t d)
    {
        const GridDimension &along = grid_.dimensions[d];
        int kept = along.radius;
        if (legs_.size() + 1 == grid_.order.size()) { // blocks of the last stage are not passed on
            const std::vector<int> radii = stage_radii(along.radius);
            kept = radii.size() > 1 ? radii[radii.size() - 2] : 0;
        }
        const Leg leg{d, std::min(kept, along.below(at_[d])), std::min(kept, along.above(at_[d])),
                      kept_};
        legs_.push_back(leg);
        kept_ *= static_cast<std::uint32_t>(leg.below + 1 + leg.above);
    }

    // The coordinates at an offset from `at` along a leg.
    std::vector<int> moved(std::vector<int> at, const Leg &leg, int offset) const
    {
        at[leg.dimension] = dimension(leg).moved(at[leg.dimension], offset);
        return at;
    }
    Rank peer_at(const Leg &leg, int offset) const
    {
        return grid_.rank_at(moved(at_, leg, offset));
    }

    // The source of the block at a place in staging, in the dimensions of the first legs.
    std::vector<int> source_of(std::uint32_t place, std::size_t legs) const
    {
        std::vector<int> at = at_;
        for (std::size_t l = 0; l < legs; ++l) {
            const Leg &leg = legs_[l];
            const auto size = static_cast<std::uint32_t>(leg.below + 1 + leg.above);
            at = moved(std::move(at), leg, static_cast<int>(place / leg.stride % size) - leg.below);
        }
        return at;
    }
    Slice slot_of(Rank source) const { return Slice{Space::receive, slot_of_.at(source)}; }

    // The blocks that a rank has when it passes blocks on along a leg, with these offsets along the
    // leg.
    Slice kept(std::size_t l, int first, int last) const
    {
        const Leg &leg = legs_[l];
        auto place = static_cast<std::uint32_t>(first + leg.below) * leg.stride;
        for (std::size_t later = l + 1; later < legs_.size(); ++later) {
            place += static_cast<std::uint32_t>(legs_[later].below) * legs_[later].stride;
        }
        return run(Space::staging, place,
                   static_cast<std::uint32_t>(last - first + 1) * leg.stride);
    }

    // last: whether it is the last stage of the last dimension.
    void add_stage(std::size_t l, int from, int to, bool last)
    {
        const Leg &leg = legs_[l];
        const int at = at_[leg.dimension];
        for (const GridMessage &message : received_in_stage(dimension(leg), at, from, to)) {
            Operation receive{OperationKind::receive,
                              Carry::combined,
                              kPhaseOf.at(l),
                              peer_at(leg, message.peer),
                              0,
                              {}};
            if (last) {
                for (int offset = message.first; offset <= message.last; ++offset) {
                    for (std::uint32_t place = 0; place < leg.stride; ++place) {
                        receive.slices.push_back(
                            slot_of(grid_.rank_at(moved(source_of(place, l), leg, offset))));
                    }
                }
            } else {
                receive.slices = {kept(l, message.first, message.last)};
            }
            pattern_.operations.push_back(std::move(receive));
        }
        for (const GridMessage &message : sent_in_stage(dimension(leg), at, from, to)) {
            const bool own_block = l == 0 && from == 0;
            sends_.push_back(Operation{
                OperationKind::send,
                Carry::combined,
                kPhaseOf.at(l),
                peer_at(leg, message.peer),
                0,
                {own_block ? Slice{Space::send, 0} : kept(l, message.first, message.last)}});
        }
    }

    // Copies this rank's own block to its place in staging, and the other blocks to their slots.
    void add_copies()
    {
        pattern_.staging_blocks = kept_;
        for (std::uint32_t place = 0; place < kept_; ++place) {
            const Slice staged{Space::staging, place};
            const Rank source = grid_.rank_at(source_of(place, legs_.size()));
            std::vector<Slice> slices{Slice{Space::send, 0}, staged};
            if (source != neighbourhood_.rank) {
                slices = {staged, slot_of(source)};
            }
            pattern_.operations.push_back(
                Operation{OperationKind::copy, Carry::direct, kLocal, kNoRank, 0, slices});
        }
    }

    const Neighbourhood &neighbourhood_;
    const Grid &grid_;
    const std::vector<int> at_; // this rank's coordinates
    std::unordered_map<Rank, std::uint32_t> slot_of_;
    std::vector<Leg> legs_;  // in order
    std::uint32_t kept_ = 1; // blocks in staging, for the legs so far
    std::vector<Operation> sends_;
    Pattern pattern_;
};

} // namespace

Pattern grid_pattern(const Neighbourhood &neighbourhood, const Grid &grid)
{
    return GridPattern(neighbourhood, grid).make();
}

} // namespace nbrhood
