// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/shape.h"

#include <algorithm>
#include <set>

namespace nbrhood {

AllgatherShape::AllgatherShape(const Machine &machine, Nesting nesting, bool shares,
                               FirstRank first)
    : rank_at(machine.in_locality_order()), position_of(rank_at.size()), shares_cores(shares),
      first_rank(first)
{
    for (Rank position = 0; position < ranks(); ++position) {
        const Rank rank = rank_at[static_cast<std::size_t>(position)];
        position_of[static_cast<std::size_t>(rank)] = position;
        in_rank_order_ = in_rank_order_ && rank == position;
    }
    if (nesting == Nesting::regions) {
        add_level(machine);
    } else {
        for (int level = 0; level < kLevels; ++level) {
            add_level(machine.at(static_cast<Level>(level)));
        }
    }
    find_regions(machine);
}

void AllgatherShape::add_level(const Machine &machine)
{
    std::vector<Rank> starts;
    std::set<Region> seen;
    Region last = -1;
    for (Rank position = 0; position < ranks(); ++position) {
        const Region region = machine.region_of(rank_at[static_cast<std::size_t>(position)]);
        if (region != last) {
            if (!seen.insert(region).second) {
                return; // a domain is not contiguous in locality order: useless level
            }
            starts.push_back(position);
            last = region;
        }
    }
    starts.push_back(ranks());
    const auto regions = starts.size() - 1;
    const auto before = levels.empty() ? 1 : levels.back().size() - 1;
    // A level whose domains are single ranks adds nothing.
    if (regions > before && regions < static_cast<std::size_t>(ranks())) {
        levels.push_back(std::move(starts));
    }
}

void AllgatherShape::find_regions(const Machine &machine)
{
    if (!levels.empty()) {
        const std::vector<Rank> &starts = levels.front();
        for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
            regions_.push_back(PositionRange{starts[i], starts[i + 1] - starts[i]});
        }
    } else if (machine.regions() == 1) {
        regions_.push_back(PositionRange{0, ranks()});
    } else {
        for (Rank position = 0; position < ranks(); ++position) {
            regions_.push_back(PositionRange{position, 1});
        }
    }
}

} // namespace nbrhood
