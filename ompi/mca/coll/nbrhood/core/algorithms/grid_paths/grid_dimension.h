// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of blocks that travel along one dimension of a grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nbrhood {

// One dimension of a grid. Coordinates run from 0; the neighbourhood of a coordinate reaches
// `radius` to either side, less at an open border. In a short periodic dimension no coordinate is
// reached from both sides.
struct GridDimension {
    int extent = 1;
    int radius = 0;
    bool periodic = false;

    // The reach of a coordinate's neighbourhood down and up.
    int below(int at) const { return std::min(radius, periodic ? (extent - 1) / 2 : at); }
    int above(int at) const { return std::min(radius, periodic ? extent / 2 : extent - 1 - at); }
    // The number of coordinates in the neighbourhood of one, including itself.
    int reached(int at) const { return below(at) + 1 + above(at); }
    // The sum over all coordinates, each without itself: the edges of a row of ranks.
    std::int64_t edges() const
    {
        const std::int64_t far = radius;
        return periodic ? std::int64_t{extent} * (reached(0) - 1)
                        : 2 * far * extent - far * (far + 1);
    }
    // The coordinate that lies `offset` further up.
    int moved(int at, int offset) const { return ((at + offset) % extent + extent) % extent; }
};

// The coordinates in the neighbourhood of one, ascending.
std::vector<int> reached_from(const GridDimension &dimension, int at);

// Blocks travel along a dimension in stages. At the end of a stage each rank has the blocks of its
// neighbourhood up to the stage's radius. These are the radii; the last one is `radius`.
//
// A stage with m messages to either side makes the width 2m + 1 times as large. Stages with m = 1,
// which triple the width, need the fewest messages. One stage with m = 2 takes the place of two
// such stages if it suffices. So radii 1 and 2 take one stage with all neighbours, and radius 4
// takes two stages, with 4 messages instead of 8. A stage costs less than a message.
std::vector<int> stage_radii(int radius);

// A message in a stage: blocks of consecutive coordinates and the peer, all as offsets from this
// rank's coordinate.
struct GridMessage {
    int peer = 0;
    int first = 0;
    int last = 0;
};

// The messages that a coordinate receives and sends in the stage from one radius to the next. Each
// comes from the nearest coordinate that has its blocks, and all its blocks lie in the receiver's
// neighbourhood, so each peer is a neighbour. No two stages have a message for the same ordered
// pair.
std::vector<GridMessage> received_in_stage(const GridDimension &dimension, int at, int from,
                                           int to);
std::vector<GridMessage> sent_in_stage(const GridDimension &dimension, int at, int from, int to);

// The numbers of messages that a coordinate receives and sends in all stages.
int received_along(const GridDimension &dimension, int at);
int sent_along(const GridDimension &dimension, int at);
// The number of messages that all coordinates receive.
std::int64_t messages_along(const GridDimension &dimension);

} // namespace nbrhood
